// Elements. What documents and models say becomes text here, and nothing else: no function takes markup.

const LONG = 400;
const byId = (id) => document.getElementById(id);

// An element with attributes, and children that are elements or text; `on` has what to do when it is clicked.
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute === "on") made.addEventListener("click", value);
    else if (value !== null && value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Text of others: it has a direction of its own and does not turn what stands beside it, and its language is unknown.
// One that is long scrolls.
function theirs(text) {
  const made = make("bdi", { lang: "" }, String(text));
  if (String(text).length > LONG) scrolls(made, text);
  return made;
}

// A name of theirs: what could show it as another (CVE-2021-42574), or is not seen at all, is written out.
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const seen = (name) => String(name).replace(UNSEEN, (letter) =>
  `[U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
const named = (name) => theirs(seen(name));

// A block of such text that scrolls when it is long, also by keyboard.
function block(name, text, kind = "") {
  const made = make(name, { dir: "auto", lang: "", class: kind || null }, String(text));
  if (String(text).length > LONG) scrolls(made, text);
  return made;
}

function scrolls(element, name) {
  element.classList.add("long");
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "region");
  element.setAttribute("aria-label", String(name).slice(0, 60));
}

// A sentence for everybody, which a screen reader says; one that is `quiet` stands elsewhere on the page, too.
function tell(text, kind = "") {
  byId("told").className = kind === "quiet" ? "unseen" : "";
  byId("told").textContent = text;
}
