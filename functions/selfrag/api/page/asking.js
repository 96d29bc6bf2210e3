// A conversation: each question follows the one before, and is looked at until it is answered.

let turns = [];

// The response: asked for as often as the API says, never more than once a second, and after each of its `events`; at
// once if `after` is null. Null where it was stopped.
async function finished(id, after, show, stop, events) {
  let next = events?.next();
  for (let wait = after; !stop.aborted; ) {
    const heard = wait === null ? null : await Promise.race([pause(Math.max(1, wait)), next].filter(Boolean));
    if (heard?.value?.name === "answer") return heard.value.said;
    if (heard) next = heard.done ? null : events.next();
    const { said, after: again } = await patiently("GET", `/v1/questions/${encodeURIComponent(id)}?trace=true`);
    if (said.usage || said.status === "failed") return said;
    if (!stop.aborted) show(said);
    wait = again;
  }
  return null;
}

// A turn begins: those before it fold to their question and answer, and it stands at the top of the view.
function addTurn(question, id = null) {
  for (const turn of document.querySelectorAll(".turn:not(.folded)")) fold(turn);
  const body = make("div", { class: "body" });
  const turn = make("article", { class: "turn", "data-id": id }, make("h2", { class: "asked", dir: "auto", lang: "" }), body);
  byId("turns").append(turn);
  entitle(body, question);
  byId("welcome").hidden = true;
  byId("question").placeholder = word("followUp");
  document.body.dataset.talking = "";
  byId("begin-anew").hidden = false;
  closeSource();
  turn.scrollIntoView({ block: "start" });
  return body;
}

// A turn's question as its heading, of which a long one shows its first lines.
function entitle(body, question) {
  const heading = body.parentNode.querySelector(".asked");
  heading.textContent = question;
  body.parentNode.querySelector(".unclamp")?.remove();
  heading.classList.remove("clamped");
  if (question.length <= CLAMPED && question.split("\n").length < 4) return;
  const unclamp = make("button", { type: "button", class: "bare unclamp", "aria-expanded": "false", on: () => {
    const open = !heading.classList.toggle("clamped");
    unclamp.textContent = word(open ? "close" : "unfold");
    unclamp.setAttribute("aria-expanded", open);
  } }, word("unfold"));
  heading.classList.add("clamped");
  heading.after(unclamp);
}
const CLAMPED = 200;

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

// Do the work of a part of the page; a problem takes its place, with a button that does it `again`.
async function carry(body, work, again = null) {
  body.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    body.replaceChildren(failureOf(theirs(problem.message), problem.status === 0 && again, again));
    if (problem.status === 0 && again) unreached.push({ body, again });
    tell(problem.message, "quiet");
  } finally {
    body.removeAttribute("aria-busy");
  }
}

// What failed: why, and what to do next.
function failureOf(why, waits, again) {
  return make("div", { class: "failure" }, make("p", { class: "bad" }, why), waits ? make("p", { class: "dim" }, word("whenOnline")) : null,
    again && make("p", { class: "actions" }, make("button", { type: "button", on: again }, word("again"))));
}

// What did not reach the service is done again when the network is back, one after the other.
const unreached = [];
async function reach() {
  for (const { body, again } of unreached.splice(0)) if (body.querySelector(".failure")) await again();
}

// A response takes its place in the conversation.
function settle(question, response, body, filtered) {
  if (!response.usage) throw new Problem(500, { detail: word("failed") }, 0);
  const asked = question ?? (response.question || null);
  if (asked) entitle(body, asked);
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
  turn.sources = new Sources(turn.response.citations);
  turn.body.replaceChildren(...shown(turn.response, turn.sources, again));
  if (wide.matches && turn === turns.at(-1) && turn.response.citations.length) turn.sources.open(0);
}

// Look at a question until it is answered; `filtered` says that it was not asked of all documents.
async function show(question, id, after, body, filtered = false, events = null) {
  if (!body.isConnected) return;  // another conversation has begun
  const stopping = new AbortController();
  const running = new Running(body, () => stopping.abort());
  const stopped = new Promise((done) => stopping.signal.addEventListener("abort", () => done(null)));
  try {
    const heard = finished(id, after, (said) => {
      if (!question && said.question) entitle(body, said.question);
      running.show(said);
    }, stopping.signal, events);
    const response = await Promise.race([heard, stopped]);
    if (!body.isConnected) return;
    if (response) {
      settle(question, response, body, filtered);
      return;
    }
    heard.catch(() => null);
    const look = (event) => { event.preventDefault(); lookUp({ question, id }, body); };
    body.replaceChildren(make("p", { class: "dim" }, word("stopped")), make("p", {}, make("a", { href: `#${id}`, on: look }, word("link"))));
  } finally {
    running.end();
  }
}

function askAnew(question) {
  byId("question").value = question;
  byId("question-form").requestSubmit();
}

function ask(event) {
  event.preventDefault();
  const field = byId("question"), question = field.value.trim(), button = byId("question-form").querySelector("[type=submit]");
  if (!question || button.disabled) return undefined;
  byId("options").open = false;
  return telling(async () => {
    const chosen = choices(), body = addTurn(question);
    field.focus();
    await attempt(question, chosen, body);
  });
}

// Ask, in a turn of its own; again where that fails. Once the service has taken the question it is only looked at.
async function attempt(question, chosen, body) {
  const field = byId("question"), button = byId("question-form").querySelector("[type=submit]");
  const filtered = Object.keys(chosen.filters).length > 0;
  button.disabled = true;
  tell(word("running"), "quiet");
  await carry(body, async () => {
    const previous = turns.at(-1)?.response.id || "";
    const { said, after, events } = await call("POST", "/v1/ask", { question, previous, ...chosen }, "text/event-stream");
    if (field.value.trim() === question) field.value = "";
    grow();
    if (!body.isConnected) return;
    body.parentNode.dataset.id = said.id;
    const before = turns.map((turn) => ({ question: turn.question, id: turn.response.id }));
    const asked = { hash: `#${said.id}`, state: { kept: [...before, { question, id: said.id }] } };
    if (byId("asking").hidden) conversation = asked;
    else navigate(asked.hash, asked.state);
    await show(question, said.id, after, body, filtered, events);
  }, () => {
    const { id } = body.parentNode.dataset;
    return id ? lookUp({ question, id }, body) : attempt(question, chosen, body);
  }).finally(() => { button.disabled = false; });
}

// The field is as high as its text, up to a third of the window.
function grow() {
  const field = byId("question");
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight + 2, innerHeight / 3)}px`;
}
