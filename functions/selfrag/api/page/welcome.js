// The page before a question: of how many documents it may be asked, and some questions to begin with.

const EXAMPLES = 4;

// So many documents are listed at the most, a hundred with each request.
const MOST_LISTED = 2000;

// The documents that were told of, all of them if `all`; whether a model writes answers; and whether documents can be
// added, as long as the server does not say no.
let known = { documents: [], all: false, notice: null };
let writable = true;

// All documents, by requests of this function, which waits or asks for a key, or does neither.
async function learnAll(request) {
  let documents = [], after = "";
  do {
    const { said } = await request("GET", `/v1/documents?limit=100${after}`);
    if (!Array.isArray(said.documents)) return;
    documents = [...documents, ...said.documents];
    writable = said.writable !== false;
    (said.collections || []).forEach(know);
    after = said.cursor ? `&cursor=${encodeURIComponent(said.cursor)}` : "";
    if (documents.length >= known.documents.length || !after) known = { documents, all: !after, notice: said.notice };
  } while (after && documents.length < MOST_LISTED);
  welcome();
  drawScope();
}

// A key is asked for before anything else where a request without one gets 401, else with the first question.
// A collection that scaled to zero starts while the question is being written.
async function look() {
  try {
    await learnAll(callOnce);
    callOnce("GET", "/v1/ready").catch(() => null);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401) await askForKey(problem).then(look, () => null);
  }
}

function welcome() {
  const ready = known.documents.filter((one) => one.status === "ready"), count = known.all ? ready.length : 0;
  byId("invitation").textContent = count > 1 ? filled("inviteCount", count) : word("invitation");
  byId("question").placeholder = word(byId("welcome").hidden ? "followUp" : "placeholder");
  byId("notice").textContent = known.notice ? `${word("noModel")} ${word("connect")}` : "";
  byId("promise").textContent = word(known.notice ? "quotes" : "promise");
  const asked = ready.map((one) => one.suggestion).filter(Boolean);
  const spread = asked.filter((_, at) => at % Math.ceil(asked.length / EXAMPLES || 1) === 0).slice(0, EXAMPLES);
  byId("examples").replaceChildren(...spread.map((question) =>
    make("li", {}, make("button", { type: "button", on: () => askAnew(question) }, theirs(question)))));
}
