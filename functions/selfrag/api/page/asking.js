// A conversation: each question follows the one before, and is looked at until it is answered.

let turns = [];

// The response: heard of where the server tells by itself, else asked for as often as the API says, and never more
// than once a second; at once if `after` is null. Null where it was stopped.
async function finished(id, after, show, stop) {
  const heard = await listen(id, show, stop);
  if (heard.said) return heard.said;
  for (let wait = after; !stop.aborted; ) {
    if (wait !== null) await pause(Math.max(1, wait));
    const { said, after: again } = await patiently("GET", `/v1/questions/${encodeURIComponent(id)}?trace=true`);
    if (heard.missing) streams = false;
    if (said.usage || said.status === "failed") return said;
    if (!stop.aborted) show(said);
    wait = again;
  }
  return null;
}

const listed = (text, between) => text.split(between).map((one) => one.trim()).filter(Boolean);

// What is asked beside the question; raises a Problem for a policy that cannot be read.
function choices() {
  const filters = {}, policy = {};
  const picked = [...document.querySelectorAll("#collections input:checked")].map((one) => one.value);
  if (picked.length) filters.collections = picked;
  const keys = listed(byId("filter-documents").value, "\n"), tags = listed(byId("filter-tags").value, ",");
  if (keys.length) filters.documents = keys;
  if (tags.length) filters.tags = tags;
  for (const day of ["since", "until"]) if (byId(`filter-${day}`).value) filters[day] = byId(`filter-${day}`).value;
  try {
    const more = JSON.parse(byId("policy").value || "{}");
    if (!more || Array.isArray(more) || typeof more !== "object") throw new SyntaxError();
    Object.assign(policy, { strategy: byId("strategy").value }, more);
  } catch {
    throw new Problem(400, { detail: word("badPolicy") }, 0);
  }
  return { filters, policy };
}

function clearFilters() {
  for (const box of document.querySelectorAll("#collections input:checked")) box.checked = false;
  for (const name of ["documents", "tags", "since", "until"]) byId(`filter-${name}`).value = "";
}

// A turn begins: those before it fold to their question and answer, and it stands at the top of the view.
function addTurn(question) {
  for (const turn of document.querySelectorAll(".turn:not(.folded)")) fold(turn);
  const body = make("div", { class: "body" });
  const turn = make("article", { class: "turn" }, block("h2", question, "asked"), body);
  byId("turns").append(turn);
  byId("welcome").hidden = true;
  byId("question").placeholder = word("followUp");
  document.body.dataset.talking = "";
  byId("begin-anew").hidden = false;
  closeSource();
  turn.scrollIntoView({ block: "start" });
  return body;
}

function fold(turn) {
  turn.classList.add("folded");
  const unfold = make("button", { type: "button", class: "unfold", on: () => {
    turn.classList.remove("folded");
    unfold.remove();
    turn.querySelector(".asked").focus();
  } }, word("unfold"));
  turn.querySelector(".asked").tabIndex = -1;
  turn.append(unfold);
}

async function carry(body, work) {
  body.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    body.replaceChildren(make("p", { class: "bad" }, theirs(problem.message)));
    tell(problem.message, "quiet");
  } finally {
    body.removeAttribute("aria-busy");
  }
}

// A response takes its place in the conversation.
function settle(question, response, body, filtered) {
  if (!response.usage) throw new Problem(500, { detail: word("failed") }, 0);
  const asked = question ?? (response.question || null);
  if (asked) body.previousSibling.textContent = asked;
  const turn = { question: asked, response, body, filtered };
  turns.push(turn);
  redraw(turn);
  // With a key that came with the question, its documents are known only now.
  if (!known.documents.length) look();
  byId("export").hidden = false;
  titled(asked);
  remember(asked, response.id);
  tell(response.status === "abstained" ? response.answer : word("done"), "quiet");
}

// A turn's answer, in the language that is chosen.
function redraw(turn) {
  const again = turn.filtered ? () => { clearFilters(); askAnew(turn.question); } : null;
  const sources = new Sources(turn.response.citations);
  turn.body.replaceChildren(...shown(turn.response, sources, again));
  if (wide.matches && turn === turns.at(-1) && turn.response.citations.length) sources.open(0);
}

// Look at a question until it is answered; `filtered` says that it was not asked of all documents.
async function show(question, id, after, body, filtered = false) {
  if (!body.isConnected) return;  // another conversation has begun
  addressed(question, id);
  const stopping = new AbortController();
  const running = new Running(body, () => stopping.abort());
  const stopped = new Promise((done) => stopping.signal.addEventListener("abort", () => done(null)));
  try {
    const heard = finished(id, after, (said) => {
      if (!question && said.question) body.previousSibling.textContent = said.question;
      running.show(said);
    }, stopping.signal);
    const response = await Promise.race([heard, stopped]);
    if (!body.isConnected) return;
    if (response) {
      settle(question, response, body, filtered);
      return;
    }
    heard.catch(() => null);
    body.replaceChildren(make("p", { class: "dim" }, word("stopped")), make("p", {}, make("a", { href: `#${id}` }, word("link"))));
  } finally {
    running.end();
  }
}

function askAnew(question) {
  byId("question").value = question;
  byId("question-form").requestSubmit();
}

async function ask(event) {
  event.preventDefault();
  const field = byId("question"), question = field.value.trim(), button = byId("question-form").querySelector("[type=submit]");
  if (!question || button.disabled) return;
  button.disabled = true;
  byId("options").open = false;
  const body = addTurn(question);
  field.focus();
  tell(word("running"), "quiet");
  await carry(body, async () => {
    const previous = turns.length ? turns[turns.length - 1].response.id : "", chosen = choices();
    const { said, after } = await call("POST", "/v1/questions", { question, previous, ...chosen });
    field.value = "";
    grow();
    await show(question, said.id, after, body, Object.keys(chosen.filters).length > 0);
  }).finally(() => { button.disabled = false; });
}

// The field is as high as its text, up to a third of the window.
function grow() {
  const field = byId("question");
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight + 2, innerHeight / 3)}px`;
}
