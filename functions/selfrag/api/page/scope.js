// Where a question is searched: folders and documents that a person ticks, tags, days, and the way of answering.

// The ids of the documents that are ticked; none is everywhere.
const ticked = new Set();
const MOST_FILTERS = 100, MOST_SHOWN = 100, FEW = 12;

const folderNamed = (name, path) => ({ name, path, folders: new Map(), entries: [] });

// The documents that can be searched as a tree of folders, the first of which are the collections.
function treeOfDocuments() {
  const root = folderNamed("", "");
  for (const entry of known.documents.filter((one) => one.status === "ready")) {
    let folder = root;
    for (const part of entry.key.split("/").slice(0, -1)) {
      if (!folder.folders.has(part)) folder.folders.set(part, folderNamed(part, `${folder.path}${part}/`));
      folder = folder.folders.get(part);
    }
    folder.entries.push(entry);
  }
  // Passages that others wrote are in a collection, and in no document that is listed.
  for (const name of collections) if (!root.folders.has(name)) root.entries.push({ id: `${name}/`, key: `${name}/`, title: "" });
  return root;
}

const entriesIn = (folder) => [...folder.folders.values()].flatMap(entriesIn).concat(folder.entries);
const foldersIn = (folder) => [...folder.folders.values()].flatMap((one) => [one, ...foldersIn(one)]);

// The fewest folders and documents that are all that is ticked: a folder is one if nothing in it is left out.
function chosenIn(folder) {
  const entries = entriesIn(folder), some = entries.filter((entry) => ticked.has(entry.id));
  if (!some.length) return [];
  if (folder.path && some.length === entries.length) return [folder.path];
  return [...[...folder.folders.values()].flatMap(chosenIn), ...folder.entries.filter((entry) => ticked.has(entry.id)).map((entry) => entry.key)];
}

// What is asked beside the question; raises a Problem for more than the API takes.
function choices() {
  const filters = {}, chosen = chosenIn(treeOfDocuments());
  if (chosen.length > MOST_FILTERS) throw new Problem(400, { detail: filled("tooManyChosen", MOST_FILTERS) }, 0);
  if (chosen.length && chosen.every((path) => path.indexOf("/") === path.length - 1)) filters.collections = chosen.map((path) => path.slice(0, -1));
  else if (chosen.length) filters.documents = chosen;
  const tags = byId("filter-tags").value.split(",").map((tag) => tag.trim()).filter(Boolean);
  if (tags.length) filters.tags = tags;
  for (const day of ["since", "until"]) if (byId(`filter-${day}`).value) filters[day] = byId(`filter-${day}`).value;
  return { filters, policy: { strategy: byId("strategy").value } };
}

function clearFilters() {
  ticked.clear();
  for (const name of ["tags", "since", "until"]) byId(`filter-${name}`).value = "";
  drawScope();
}

// A box that ticks these documents; it is half ticked where only some of them are.
function boxOf(entries, label) {
  const box = make("input", { type: "checkbox" });
  box.entries = entries;
  box.addEventListener("change", () => {
    for (const { id } of entries) box.checked ? ticked.add(id) : ticked.delete(id);
    showTicks();
  });
  return make("label", {}, box, " ", label);
}

function showTicks() {
  for (const box of byId("scope").querySelectorAll("input")) {
    const some = box.entries.filter(({ id }) => ticked.has(id)).length;
    box.checked = some > 0 && some === box.entries.length;
    box.indeterminate = some > 0 && !box.checked;
  }
  const count = entriesIn(treeOfDocuments()).filter(({ id }) => ticked.has(id)).length;
  byId("chosen").textContent = count ? ` · ${decimal(count, 0)}` : "";
}

// A folder, whose own are made when it is unfolded for the first time.
function branchOf(folder, open) {
  const entries = entriesIn(folder), below = make("ul", { class: "plain", hidden: "" });
  const unfold = () => {
    const opens = below.hidden;
    if (opens && !below.children.length) below.append(...twigsOf(folder));
    below.hidden = !opens;
    toggle.setAttribute("aria-expanded", opens);
    showTicks();
  };
  const name = folder.path.indexOf("/") === folder.path.length - 1 ? shortOf(folder.name) : folder.name;
  const toggle = make("button", { type: "button", class: "bare twist", "aria-expanded": "false", "aria-label": name, on: unfold });
  const branch = make("li", {}, make("div", { class: "branch" }, toggle,
    boxOf(entries, make("span", {}, named(name), make("span", { class: "dim" }, ` ${decimal(entries.length, 0)}`)))), below);
  if (open) unfold();
  return branch;
}

const leafOf = (entry, name) => make("li", {}, boxOf([entry], named(name)));
const twigsOf = (folder) => [...[...folder.folders.values()].map((one) => branchOf(one, false)), ...folder.entries.map((entry) => leafOf(entry, entry.key.endsWith("/") ? shortOf(entry.key.slice(0, -1)) : entry.key.split("/").pop()))];

// The tree, or what of it has the text that is looked for.
function drawScope() {
  const root = treeOfDocuments(), all = entriesIn(root), looked = byId("find-scope").value.trim().toLowerCase();
  byId("find-scope").hidden = all.length <= FEW;
  const has = (name) => name.toLowerCase().includes(looked);
  const rows = looked
    ? [...foldersIn(root).filter((one) => has(one.name)).map((one) => branchOf(one, false)),
      ...all.filter((entry) => has(nameOf(entry)) || has(entry.title || "")).map((entry) => leafOf(entry, nameOf(entry)))].slice(0, MOST_SHOWN)
    : root.folders.size === 1 && !root.entries.length ? [branchOf([...root.folders.values()][0], true)] : twigsOf(root);
  byId("scope").replaceChildren(...(rows.length ? rows : [make("li", { class: "dim" }, word(looked ? "nothing" : "noDocuments"))]));
  showTicks();
}
