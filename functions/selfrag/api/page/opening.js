// The addresses of the page: a conversation by its last answer, #ID/2 for the second source of that, #documents with a
// folder, #history. Each is an entry of the browser's history, so that Back and Forward lead through them, and a reload
// or a link to the same.

const ID = /^[A-Za-z0-9_-]{1,80}$/;
// Where the conversation is while another view is open.
let conversation = { hash: "", state: null };

// A new entry, in the place of one that only opened a drawer.
function navigate(hash, state = null) {
  history[history.state?.drawer ? "replaceState" : "pushState"](state, "", hash || location.pathname);
  if (!viewOf(hash)) conversation = { hash, state };
}

// The view that an address names, and its folder; null for a conversation.
function viewOf(hash) {
  const [, name, folder] = /^#(documents|history)(?:\/(.*))?$/.exec(hash) || [];
  if (!name) return null;
  try {
    return { name, folder: folder === undefined ? null : decodeURIComponent(folder) };
  } catch {
    return { name, folder: null };
  }
}

function openView(name) {
  if (byId(name).hidden) navigate(`#${name}`);
  view(name);
}

function openConversation() {
  if (byId("asking").hidden) navigate(conversation.hash, conversation.state);
  view("asking");
}

// The tab is called as what was asked last, or as its view.
function titled(text) {
  document.title = text ? `${text.slice(0, 80)} · selfrag` : "selfrag";
}

function emptied() {
  turns = [];
  closeSource();
  byId("turns").replaceChildren();
  byId("begin-anew").hidden = byId("export").hidden = true;
  byId("welcome").hidden = false;
  byId("question").placeholder = word("placeholder");
  delete document.body.dataset.talking;
  titled("");
  tell("");
}

function anew() {
  const begun = byId("turns").children.length > 0;
  emptied();
  if (begun || byId("asking").hidden) navigate("");
  view("asking");
  byId("question").focus();
}

// What stands for the question of an answer that came without one, as those did that were kept before it was kept with them.
const asIs = (question, id) => question || `${word("earlier")} ${id}`;

// Show what the address names.
async function reopen() {
  takeToken();
  const hash = location.hash, named = viewOf(hash), [id, number] = hash.slice(1).split("/"), kept = history.state?.kept || [];
  if (named) return view(named.name, named.folder);
  conversation = { hash, state: history.state };
  view("asking");
  const answers = !id ? [] : kept.at(-1)?.id === id ? kept : [{ question: null, id }];
  const more = keepTurns(answers);
  if (id && !ID.test(id)) return leadNowhere();
  for (const [one, body] of more.map((one) => [one, addTurn(asIs(one.question, one.id), one.id)])) {
    if (body.isConnected) await lookUp(one, body);
  }
  const last = turns.at(-1);
  if (number && last?.response.citations[number - 1]) last.sources.open(number - 1);
  return undefined;
}

// Take away the turns that do not belong to these answers, and return the answers that have no turn yet. Questions that
// failed have no answer, and stay below the last one.
function keepTurns(answers) {
  const articles = [...byId("turns").children];
  let same = 0;
  while (same < answers.length && articles[same]?.dataset.id === answers[same].id) same += 1;
  const others = articles.slice(same);
  const changes = same < answers.length || others.some((turn) => turn.dataset.id);
  if (changes) others.forEach((turn) => turn.remove());
  turns = turns.filter((turn) => turn.body.isConnected);
  if (!byId("turns").children.length) emptied();
  else if (changes) showLast();
  showDrawer(changes);
  return answers.slice(same);
}

// The last turn that is left is unfolded, as it was when it was the last.
function showLast() {
  const last = byId("turns").lastChild, turn = turns.at(-1);
  last.querySelector(".unfold")?.click();
  titled(turn?.question || "");
  last.scrollIntoView({ block: "start" });
}

// The drawer as the entry has it: open at a source, closed, or in a wide window at the first source.
function showDrawer(changed) {
  const drawer = history.state?.drawer, last = turns.at(-1);
  if (drawer && last?.response.citations[drawer.at]) last.sources.draw(drawer.at);
  else if (changed && last && wide.matches && last.response.citations.length) last.sources.open(0);
  else closeSource();
}

// An answer in its turn; a link that leads to none has a heading that says so.
function lookUp({ question, id }, body) {
  const look = () => carry(body, () => show(question, id, null, body).catch((problem) => {
    if (!question && problem.status === 404) entitle(body, word("badLink"));
    throw problem;
  }), look);
  return look();
}

function leadNowhere() {
  const body = addTurn(word("badLink"));
  body.append(make("p", { class: "actions" }, make("button", { type: "button", on: anew }, word("anew"))));
  tell(word("badLink"), "quiet");
}

// What is there already, in the language that was chosen since.
function saidAnew() {
  tell("");
  closeSource();
  turns.forEach(redraw);
  welcome();
  drawScope();
  if (!byId("history").hidden) recall();
  if (!byId("documents").hidden) drawList();
}
