// The conversation's address, by which its last answer is opened again: after a reload, or by another who may read it.

const ID = /^[A-Za-z0-9_-]{1,80}$/;

function addressed(question, id) {
  const kept = [...turns.map((turn) => ({ question: turn.question, id: turn.response.id })), { question, id }];
  history.replaceState({ kept }, "", `#${id}`);
}

// The tab is called as what was asked last.
function titled(question) {
  document.title = question ? `${question.slice(0, 80)} · selfrag` : "selfrag";
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
  view("asking");
  emptied();
  history.replaceState(null, "", location.pathname);
  byId("question").focus();
}

// What stands for the question of an answer that came without one, as those did that were kept before it was kept with them.
const asIs = (question, id) => question || `${word("earlier")} ${id}`;

async function reopen() {
  takeToken();
  const id = location.hash.slice(1), kept = history.state?.kept || [];
  if (id && turns.some((turn) => turn.response.id === id)) return view("asking");
  emptied();
  if (!id) return undefined;
  view("asking");
  byId("welcome").hidden = true;
  byId("begin-anew").hidden = false;
  if (!ID.test(id)) return tell(word("badLink"));
  const answers = kept.at(-1)?.id === id ? kept : [{ question: null, id }];
  const opened = answers.map((one) => [one, addTurn(asIs(one.question, one.id))]);
  for (const [one, body] of opened) {
    if (body.isConnected) await carry(body, () => show(one.question, one.id, null, body));
  }
  return undefined;
}

// What is there already, in the language that was chosen since.
function saidAnew() {
  tell("");
  closeSource();
  turns.forEach(redraw);
  welcome();
  if (!byId("history").hidden) recall();
  if (!byId("documents").hidden) list(false);
}
