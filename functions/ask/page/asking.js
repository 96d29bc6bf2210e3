// A conversation: each question follows the one before, and is looked at until it is answered.

let turns = [];

// The steps in the order in which they came; those that have not ended are marked.
function pathOf(path, trace) {
  const open = new Set(trace.filter((step) => !step.finished).map((step) => step.state));
  return make("ol", { class: "path" }, ...path.map((state) =>
    make("li", { "aria-current": open.has(state) ? "step" : null }, state)));
}

// The response: heard of where the server tells by itself, else asked for as often as the API says, and never more
// than once a second; at once if `after` is null.
async function finished(id, after, show) {
  const heard = await listen(id, show);
  if (heard.said) return heard.said;
  for (let wait = after; ; ) {
    if (wait !== null) await pause(Math.max(1, wait));
    const { said, after: again } = await patiently("GET", `/v1/questions/${encodeURIComponent(id)}?trace=true`);
    if (heard.missing) streams = false;
    if (said.usage || said.status === "failed") return said;
    show(said);
    wait = again;
  }
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

function addTurn(question) {
  const body = make("div", { class: "body" });
  byId("turns").append(make("article", { class: "turn" }, block("p", question, "asked"), body));
  return body;
}

async function carry(body, work) {
  body.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    body.replaceChildren(make("p", { class: "bad" }, theirs(problem.message)));
    tell(problem.message);
  } finally {
    body.removeAttribute("aria-busy");
  }
}

async function show(question, id, after, body) {
  if (!body.isConnected) return;  // another conversation has begun
  addressed(question, id);
  const response = await finished(id, after, (said) => body.replaceChildren(...progress(said)));
  if (!body.isConnected) return;
  if (!response.usage) throw new Problem(500, { detail: word("failed") }, 0);
  body.replaceChildren(...shown(response));
  turns.push({ question, response, body });
  byId("begin-anew").hidden = byId("export").hidden = false;
  tell(word(response.status === "abstained" ? "abstained" : "done"));
}

async function ask(event) {
  event.preventDefault();
  const question = byId("question").value.trim(), button = event.target.querySelector("[type=submit]");
  if (!question || button.disabled) return;
  button.disabled = true;
  const body = addTurn(question);
  body.append(make("p", { class: "dim" }, word("running")));
  tell(word("running"));
  await carry(body, async () => {
    const previous = turns.length ? turns[turns.length - 1].response.id : "";
    const { said, after } = await call("POST", "/v1/questions", { question, previous, ...choices() });
    byId("question").value = "";
    await show(question, said.id, after, body);
  }).finally(() => { button.disabled = false; });
}
