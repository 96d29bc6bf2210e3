// What is wrong with a view, in sentences; looked at where it stands in the page.

const FORBIDDEN = "script, style, iframe, object, embed, base, meta, link, img, math, form, video, audio, template";
const ASKS = ["src", "srcdoc", "srcset", "action", "formaction", "id", "name"];

function wrongElements(root) {
  const wrong = [...root.querySelectorAll(FORBIDDEN)].map((one) => `an element: ${one.tagName}`);
  for (const one of root.querySelectorAll("*")) {
    for (const { name, value } of one.attributes) {
      const runs = name.startsWith("on") || ASKS.includes(name);
      if (runs || (name === "href" && !/^(#|https:)/.test(value))) wrong.push(`${one.tagName} has ${name}=${value}`);
    }
  }
  return wrong;
}

// A control can be hit in its middle, is as large as a finger needs (WCAG 2.2, 2.5.8) and within the window's width.
function wrongControls() {
  const wrong = [];
  for (const one of document.querySelectorAll("button, a[href], input, select, textarea, summary")) {
    if (!one.checkVisibility()) continue;
    one.scrollIntoView({ block: "center" });
    const box = one.getBoundingClientRect(), what = `${one.tagName} ${one.className} ${one.textContent.slice(0, 20)}`;
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 12));
    const reached = hit && (one.contains(hit) || hit.closest("label")?.contains(one));
    if (!reached) wrong.push(`covered by ${hit?.tagName}: ${what}`);
    const size = one.type === "checkbox" ? one.closest("label").getBoundingClientRect() : box;
    if (size.width < 24 || size.height < 24) wrong.push(`${size.width} by ${size.height}: ${what}`);
    if (box.left < 0 || box.right > document.documentElement.clientWidth) wrong.push(`outside the window: ${what}`);
    if (box.height > 2 * innerHeight) wrong.push(`${box.height} high: ${what}`);
  }
  return wrong;
}

function inspected(root) {
  const page = document.documentElement, wrong = [...wrongElements(root), ...wrongControls()];
  if ("ran" in window || "ran" in {} || Object.keys(Object.prototype).length) wrong.push("something ran");
  if (page.scrollWidth > page.clientWidth) wrong.push(`${page.scrollWidth} wide in a window of ${page.clientWidth}`);
  if (getComputedStyle(document.body).display === "none") wrong.push("nothing is shown");
  return wrong;
}

// What is shown of an answer each text of which is this one, with marks after its first letter and its last.
function wrongTexts(root, text) {
  const wrong = [], marks = [...root.querySelectorAll(".answer .cite")].map((one) => one.dataset.number);
  if (root.querySelector(".answer").textContent !== text) wrong.push("the answer is another text");
  if (String(marks) !== "1,2") wrong.push(`other marks: ${marks}`);
  for (const quote of document.querySelectorAll("#source blockquote")) if (quote.textContent !== text) wrong.push("another quote");
  for (const one of [...root.querySelectorAll("bdi"), ...document.querySelectorAll("#source bdi")]) {
    // On a card a document has its name without the folders, and in the drawer it has them below.
    const parts = (said) => [said, said.split("/").pop(), said.split("/").slice(0, -1).join(" / ")];
    if (![text, seen(text)].some((said) => parts(said).includes(one.textContent))) wrong.push(`another text: ${one.textContent.slice(0, 80)}`);
  }
  return wrong;
}
