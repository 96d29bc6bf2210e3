// The caller's documents: what is there, what comes, and what goes.

const STATES = { ready: "good", failed: "bad" };
const LOOKS = 150;
let cursor = null;
const collections = new Set();

function know(name) {
  if (collections.has(name)) return;
  collections.add(name);
  const box = make("input", { type: "checkbox", value: name });
  byId("collections").append(make("label", {}, box, " ", named(name)));
  byId("known-collections").append(make("option", { value: name }));
  byId("into").value ||= name;
}

const stateWord = (status) => inWords(status === "failed" ? "unread" : status);
const stateOf = (status) => make("strong", { class: STATES[status] || "some" }, stateWord(status));

function rowOf(entry) {
  const button = make("button", { type: "button", on: () => remove(entry, button) });
  labelled(button, "remove", entry);
  const held = [entry.title && theirs(entry.title), entry.passages && `${word("passages")}: ${entry.passages}`];
  const about = held.filter(Boolean).flatMap((part, at) => (at ? [" · ", part] : [part]));
  return make("li", { "data-id": entry.id }, named(entry.key), " · ", stateOf(entry.status), " ",
    entry.status === "removing" ? null : button,
    about.length ? make("p", { class: "dim" }, ...about) : null,
    entry.reason ? block("p", entry.reason, "bad") : null,
    ...(entry.warnings || []).map((warning) => block("p", warning, "some")));
}

// A button says the same in every row, and to a screen reader also of which document.
function labelled(button, action, entry) {
  button.textContent = word(action);
  button.setAttribute("aria-label", `${word(action)} ${entry.key}`);
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
  const row = button.parentElement;
  row.classList.add("busy");
  if (button.textContent !== word("sure")) return labelled(button, "sure", entry);
  button.disabled = true;
  return telling(async () => {
    try {
      await call("DELETE", `/v1/documents/${encodeURIComponent(entry.id)}`);
      row.tabIndex = -1;
      row.focus();
      row.replaceChildren(named(entry.key), " · ", stateOf("removing"));
      const said = await looked(entry, ({ status }) => ["awaited", "failed"].includes(status));
      if (said.status === "failed") return putRow(said);
      row.remove();
      return tell(`${entry.key}: ${word("gone")}`);
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
  (said.collections || []).forEach(know);
  // A list that comes late takes no row away that somebody is about to delete.
  const rows = said.documents.map((entry) => rowFor(entry.id, ".busy") || rowOf(entry));
  if (more) byId("list").append(...rows);
  else byId("list").replaceChildren(...rows);
  if (!byId("list").children.length) byId("list").append(make("li", { class: "dim nothing" }, word("noDocuments")));
  cursor = said.cursor;
  byId("more").hidden = !cursor;
});

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
