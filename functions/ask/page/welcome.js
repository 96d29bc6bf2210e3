// The page before a question: what may be asked of how many documents, some questions to begin with, and who answers.

const EXAMPLES = 4;

// The documents that were told of, [] before; whether more of them can be added, as long as the server does not say no.
let known = { documents: [], total: null, notice: null };
let writable = true;

// It asks for no key: whoever has none yet is asked for it when they ask.
async function look() {
  const { said } = await callOnce("GET", "/v1/documents?limit=50").catch(() => ({ said: {} }));
  if (!Array.isArray(said.documents)) return;
  learn(said);
  welcome();
}

// What a list of documents says beside them.
function learn(said) {
  const count = said.total ?? (said.cursor ? null : said.documents.length);
  known = { documents: said.documents, total: count, notice: said.notice || null };
  writable = said.writable !== false;
  (said.collections || []).forEach(know);
}

function welcome() {
  byId("invitation").textContent = known.total ? filled("inviteCount", known.total) : word("invitation");
  byId("question").placeholder = word("placeholder");
  const titles = known.documents.filter((one) => one.status === "ready" && one.title).map((one) => one.title);
  const spread = titles.filter((_, at) => at % Math.ceil(titles.length / EXAMPLES || 1) === 0).slice(0, EXAMPLES);
  byId("examples").replaceChildren(...spread.map((title) => {
    const question = filled("example", seen(title));
    return make("li", {}, make("button", { type: "button", on: () => askAnew(question) }, theirs(question)));
  }));
  byId("no-model").hidden = !known.notice;
  byId("no-model").textContent = known.notice ? word("noModel") : "";
}
