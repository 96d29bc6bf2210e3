// The caller's documents: what is there, what comes, and what goes.

const STATES = { ready: "dim", failed: "bad" };
const LOOKS = 150;
// More documents than these stand in their folders, of which one at a time is open.
const MANY = 20;
const collections = new Set();
let openFolder = null;

function know(name) {
  if (collections.has(name)) return;
  collections.add(name);
  byId("known-collections").append(make("option", { value: name }));
  byId("into").value ||= name;
  byId("into").parentNode.hidden = collections.size < 2 && shortOf(name) !== name;
}

const stateWord = (status) => inWords(status === "failed" ? "unread" : status);
const stateOf = (status) => make("strong", { class: STATES[status] || "some" }, stateWord(status));
// The laptop tells directories of one name apart by digits, which say nothing to a person.
const shortOf = (name) => name.replace(/~[0-9a-f]{8}(?=\/|$)/, "");
// With one collection its name says nothing of a document.
const nameOf = (entry) => (collections.size < 2 ? entry.key.slice(entry.key.indexOf("/") + 1) : shortOf(entry.key));
const folderOf = (entry) => nameOf(entry).split("/").slice(0, -1).join("/");

// Why a document failed, or what of it was left out, without its name, below which it stands.
function reasonOf(entry, reason) {
  for (const name of [entry.key, nameOf(entry), entry.key.split("/").pop()]) {
    const rest = reason.startsWith(name) ? /^(:? )(.*)$/su.exec(reason.slice(name.length)) : null;
    if (rest) return rest[1] === " " ? `${word("theFile")} ${rest[2]}` : rest[2].charAt(0).toUpperCase() + rest[2].slice(1);
  }
  return reason;
}

function rowOf(entry, folded) {
  const button = make("button", { type: "button", on: () => remove(entry, button) });
  labelled(button, "remove", entry);
  const cell = (name, ...children) => make("td", { "data-cell": word(name) }, ...children);
  return make("tr", { "data-id": entry.id, "data-folder": folded ? folderOf(entry) : null },
    make("th", { scope: "row" }, named(folded ? nameOf(entry).split("/").pop() : nameOf(entry)), entry.title ? make("p", { class: "dim" }, theirs(entry.title)) : null,
      entry.reason ? block("p", reasonOf(entry, entry.reason), "bad") : null,
      ...(entry.warnings || []).map((warning) => block("p", reasonOf(entry, warning), "some"))),
    cell("kind", named(/\.([^./]+)$/.exec(entry.key)?.[1] || "")), cell("passages", entry.passages ? String(entry.passages) : ""),
    cell("changed", dayOf(entry.date || entry.updated_at || "")), cell("state", stateOf(entry.status)),
    make("td", {}, entry.status === "removing" || !writable ? null : button));
}

// The row of a folder, by which it is unfolded: how many documents it has, and how many of them cannot be asked.
function folderRow(name, entries) {
  const isOpen = name === openFolder, failed = entries.filter((entry) => entry.status === "failed").length;
  const turn = () => {
    navigate(isOpen ? "#documents" : `#documents/${encodeURIComponent(name)}`);
    unfoldFolder(isOpen ? null : name);
    byId("list").querySelector(`[data-group="${CSS.escape(name)}"]`).focus();
  };
  return make("tr", { class: "folder" }, make("td", { colspan: "6" },
    make("button", { type: "button", class: "twist", "data-group": name, "aria-expanded": String(isOpen), on: turn }, named(name || "/")),
    make("span", { class: "dim" }, ` ${decimal(entries.length, 0)}`), failed ? make("span", { class: "bad" }, ` · ${decimal(failed, 0)} ${stateWord("failed")}`) : null));
}

function unfoldFolder(name) {
  openFolder = name;
  drawList();
}

// A button says the same in every row, and to a screen reader also of which document.
function labelled(button, action, entry) {
  button.textContent = word(action);
  button.setAttribute("aria-label", `${word(action)} ${nameOf(entry)}`);
}

const rowFor = (id, kind = "") => byId("list").querySelector(`[data-id="${CSS.escape(id)}"]${kind}`);

// A document as it is now, new or in the place of what was known of it; null takes it away.
function putEntry(id, entry) {
  const others = known.documents.filter((one) => one.id !== id);
  known = { ...known, documents: entry ? [entry, ...others] : others };
  drawList();
  welcome();
  drawScope();
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
      row.classList.remove("busy");
      putEntry(entry.id, said.status === "failed" ? said : null);
      return said.status === "failed" ? undefined : tell(`${nameOf(entry)}: ${word("gone")}`);
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

const list = () => telling(async () => {
  await learnAll(patiently);
  drawList();
});

// How many documents there are of each state; one of these is looked for by a click.
function countsOf(documents) {
  const counts = new Map();
  for (const { status } of documents) counts.set(status, (counts.get(status) || 0) + 1);
  return [...counts].map(([status, count]) => make("button", { type: "button", class: `bare ${STATES[status] === "bad" ? "bad" : ""}`, on: () => {
    const find = byId("find-documents");
    find.value = find.value === stateWord(status) ? "" : stateWord(status);
    sift();
  } }, `${decimal(count, 0)} ${stateWord(status)}`));
}

// What failed stands first. A list that comes late takes no row away that somebody is about to delete.
function drawList() {
  byId("drop").hidden = !writable;
  byId("read-only").hidden = writable;
  byId("not-all").hidden = known.all || !known.documents.length;
  byId("counts").replaceChildren(...countsOf(known.documents));
  const inOrder = [...known.documents].sort((one, other) => (other.status === "failed") - (one.status === "failed"));
  const folders = new Map();
  for (const entry of inOrder) folders.set(folderOf(entry), [...(folders.get(folderOf(entry)) || []), entry]);
  const folded = inOrder.length > MANY && folders.size > 1, row = (entry) => rowFor(entry.id, ".busy") || rowOf(entry, folded);
  const groups = [...folders].sort(([one], [other]) => one.localeCompare(other));
  const rows = folded ? groups.flatMap(([name, entries]) => [folderRow(name, entries), ...entries.map(row)]) : inOrder.map(row);
  const nothing = make("tr", { class: "nothing" }, make("td", { class: "dim", colspan: "6" }, word("noDocuments")));
  byId("list").replaceChildren(...(rows.length ? rows : [nothing]));
  sift();
}

// Leave the rows whose names or states hold the text that is looked for; without one, those of no folder that is closed.
function sift() {
  const looked = byId("find-documents").value.trim().toLowerCase();
  for (const row of byId("list").children) {
    const { folder } = row.dataset, path = folder ? `${folder}/` : "";
    row.hidden = looked ? row.classList.contains("folder") || !`${path}${row.textContent}`.toLowerCase().includes(looked)
      : folder !== undefined && folder !== openFolder;
  }
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
