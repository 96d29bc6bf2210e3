// The caller's documents: what is there, what comes, and what goes.

const STATES = { ready: "dim", failed: "bad" };
const LOOKS = 150;
let cursor = null;
const collections = new Set();

// One collection is no choice of where to search.
function know(name) {
  if (collections.has(name)) return;
  collections.add(name);
  const box = make("input", { type: "checkbox", value: name });
  byId("collections").append(make("label", {}, box, " ", named(shortOf(name))));
  byId("known-collections").append(make("option", { value: name }));
  byId("into").value ||= name;
  byId("collections").hidden = collections.size < 2;
  byId("into").parentNode.hidden = collections.size < 2 && shortOf(name) !== name;
}

const stateWord = (status) => inWords(status === "failed" ? "unread" : status);
const stateOf = (status) => make("strong", { class: STATES[status] || "some" }, stateWord(status));
// The laptop tells directories of one name apart by digits, which say nothing to a person.
const shortOf = (name) => name.replace(/~[0-9a-f]{8}(?=\/|$)/, "");
// With one collection its name says nothing of a document.
const nameOf = (entry) => (collections.size < 2 ? entry.key.slice(entry.key.indexOf("/") + 1) : shortOf(entry.key));

function rowOf(entry) {
  const button = make("button", { type: "button", on: () => remove(entry, button) });
  labelled(button, "remove", entry);
  const cell = (name, ...children) => make("td", { "data-cell": word(name) }, ...children);
  return make("tr", { "data-id": entry.id, class: entry.status === "failed" ? "failed" : null },
    make("th", { scope: "row" }, named(nameOf(entry)), entry.title ? make("p", { class: "dim" }, theirs(entry.title)) : null,
      entry.reason ? block("p", entry.reason, "bad") : null,
      ...(entry.warnings || []).map((warning) => block("p", warning, "some"))),
    cell("kind", named(/\.([^./]+)$/.exec(entry.key)?.[1] || "")), cell("passages", entry.passages ? String(entry.passages) : ""),
    cell("changed", dayOf(entry.date || entry.updated_at || "")), cell("state", stateOf(entry.status)),
    make("td", {}, entry.status === "removing" || !writable ? null : button));
}

// A button says the same in every row, and to a screen reader also of which document.
function labelled(button, action, entry) {
  button.textContent = word(action);
  button.setAttribute("aria-label", `${word(action)} ${nameOf(entry)}`);
}

const rowFor = (id, kind = "") => byId("list").querySelector(`[data-id="${CSS.escape(id)}"]${kind}`);

function putRow(entry) {
  const there = rowFor(entry.id);
  if (there) return there.replaceWith(rowOf(entry));
  byId("list").querySelector(".nothing")?.remove();
  return byId("list").prepend(rowOf(entry));
}

// The second click deletes; the row goes when the searches find nothing of the document any more.
async function remove(entry, button) {
  const row = button.closest("tr");
  row.classList.add("busy");
  if (button.textContent !== word("sure")) return labelled(button, "sure", entry);
  button.disabled = true;
  return telling(async () => {
    try {
      await call("DELETE", `/v1/documents/${encodeURIComponent(entry.id)}`);
      row.tabIndex = -1;
      row.focus();
      row.replaceChildren(make("th", { scope: "row" }, named(nameOf(entry))), make("td", { colspan: "5" }, stateOf("removing")));
      const said = await looked(entry, ({ status }) => ["awaited", "failed"].includes(status));
      if (said.status === "failed") return putRow(said);
      row.remove();
      return tell(`${nameOf(entry)}: ${word("gone")}`);
    } finally {
      row.classList.remove("busy");
      button.disabled = false;
    }
  });
}

async function telling(work) {
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    tell(problem.message);
  }
}

const list = (more) => telling(async () => {
  const after = more && cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
  const { said } = await patiently("GET", `/v1/documents?limit=50${after}`);
  learn(more ? { ...said, documents: [...known.documents, ...said.documents] } : said);
  byId("drop").hidden = !writable;
  byId("read-only").hidden = writable;
  // What failed stands first. A list that comes late takes no row away that somebody is about to delete.
  const inOrder = [...said.documents].sort((one, other) => (other.status === "failed") - (one.status === "failed"));
  const rows = inOrder.map((entry) => rowFor(entry.id, ".busy") || rowOf(entry));
  if (more) byId("list").append(...rows);
  else byId("list").replaceChildren(...rows);
  if (!byId("list").children.length) byId("list").append(make("tr", { class: "nothing" }, make("td", { class: "dim", colspan: "6" }, word("noDocuments"))));
  cursor = said.cursor;
  byId("more").hidden = !cursor;
  sift();
});

// Leave the rows whose names or states hold the text that is looked for.
function sift() {
  const looked = byId("find-documents").value.trim().toLowerCase();
  for (const row of byId("list").children) row.hidden = !row.textContent.toLowerCase().includes(looked);
}

// What the API says of a document; before its file has come, and when it is gone, it is `awaited`.
const lookAt = (entry) =>
  patiently("GET", `/v1/documents/${encodeURIComponent(entry.id)}?key=${encodeURIComponent(entry.key)}`);

// The same as soon as it is enough. However many are waited for, one request a second asks for one of them.
let lastLook = Promise.resolve();
async function looked(entry, enough) {
  for (let tries = 0, wait = 1; tries < LOOKS; tries += 1) {
    await pause(wait);
    await (lastLook = lastLook.then(() => pause(1)));
    const { said, after } = await lookAt(entry);
    if (enough(said, tries)) return said;
    wait = after || 1;
  }
  throw new Problem(0, { detail: word("noEnd") }, 0);
}
