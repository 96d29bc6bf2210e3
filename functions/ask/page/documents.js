// The caller's documents: what is there, what comes, and what goes.

const STATES = { ready: "good", failed: "bad" };
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

function stateOf(entry) {
  const name = entry.status === "failed" ? "unread" : entry.status;
  return make("strong", { class: STATES[entry.status] || "some" }, inWords(name));
}

function rowOf(entry) {
  const button = make("button", { type: "button", on: () => remove(entry, button) }, word("remove"));
  const reason = entry.reason ? block("p", entry.reason, "bad") : null;
  return make("li", { "data-id": entry.id }, named(entry.key), " · ", stateOf(entry), " ", button, reason);
}

// The second click deletes.
async function remove(entry, button) {
  if (button.textContent !== word("sure")) {
    button.textContent = word("sure");
    return;
  }
  await telling(async () => {
    await call("DELETE", `/v1/documents/${encodeURIComponent(entry.id)}`);
    const row = button.parentElement;
    row.tabIndex = -1;
    row.focus();
    row.replaceChildren(named(entry.key), " · ", make("strong", { class: "some" }, word("removing")));
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
  const rows = said.documents.map(rowOf);
  if (more) byId("list").append(...rows);
  else byId("list").replaceChildren(...rows);
  if (!byId("list").children.length) byId("list").append(make("li", { class: "dim" }, word("noDocuments")));
  cursor = said.cursor;
  byId("more").hidden = !cursor;
});

async function settled(id, after, showState) {
  for (let tries = 0, wait = after; tries < 120; tries += 1) {
    await pause(Math.max(2, wait));
    try {
      const { said, after: again } = await patiently("GET", `/v1/documents/${encodeURIComponent(id)}`);
      if (!["working", "removing"].includes(said.status)) return said;
      showState(said);
      wait = again;
    } catch (problem) {
      if (problem.status !== 404) throw problem;  // the bucket has not told of it yet
    }
  }
  throw new Problem(0, { detail: word("notSent") }, 0);
}

async function upload(file) {
  const state = make("strong", { class: "some" }, word("sending"));
  const row = make("li", {}, named(file.name), " · ", state);
  byId("uploads").prepend(row);
  try {
    const key = `${byId("into").value.trim()}/${file.name}`;
    const { said } = await call("POST", "/v1/documents", { key, size: file.size });
    await send(said.upload, file);
    state.textContent = word("working");
    const entry = await settled(said.id, 0, () => {});
    state.replaceWith(stateOf(entry));
    if (entry.reason) row.append(block("p", entry.reason, "bad"));
    tell(`${file.name}: ${inWords(entry.status === "failed" ? "unread" : entry.status)}`);
    await list(false);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    row.append(block("p", problem.message, "bad"));
    state.className = "bad";
    state.textContent = word("failed");
  }
}

async function take(files) {
  if (!byId("into").value.trim()) return tell(word("needsCollection"));
  for (const file of files) await upload(file);
  return undefined;
}

function dropping(zone) {
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", kind === "dragover" || kind === "dragenter");
      if (kind === "drop") take([...event.dataTransfer.files]);
    });
  }
}
