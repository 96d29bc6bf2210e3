// The conversation's address, by which its last answer is opened again: after a reload, or by another who may read it.

const ID = /^[A-Za-z0-9_-]{1,80}$/;

// The answers are with the API, the questions in this tab's history alone: an answer does not hold its question.
function addressed(question, id) {
  const kept = [...turns.map((turn) => ({ question: turn.question, id: turn.response.id })), { question, id }];
  history.replaceState({ kept }, "", `#${id}`);
}

function emptied() {
  turns = [];
  byId("turns").replaceChildren();
  byId("begin-anew").hidden = byId("export").hidden = true;
  tell("");
}

function anew() {
  emptied();
  history.replaceState(null, "", location.pathname);
  byId("question").focus();
}

// What stands for the question of an answer that was not asked in this tab.
const asIs = (question, id) => question ?? `${word("earlier")} ${id}`;

async function reopen() {
  const id = location.hash.slice(1), kept = history.state?.kept || [];
  if (turns.some((turn) => turn.response.id === id)) return;
  emptied();
  if (!id) return;
  byId("begin-anew").hidden = false;
  if (!ID.test(id)) return tell(word("badLink"));
  const answers = kept.at(-1)?.id === id ? kept : [{ question: null, id }];
  const opened = answers.map((one) => [one, addTurn(asIs(one.question, one.id))]);
  for (const [one, body] of opened) {
    if (body.isConnected) await carry(body, () => show(one.question, one.id, null, body));
  }
}

// What is there already, in the language that was chosen since.
function saidAnew() {
  tell("");
  for (const { body, response } of turns) body.replaceChildren(...shown(response));
  if (!byId("documents").hidden) list(false);
}
