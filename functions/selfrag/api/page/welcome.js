// The page before a question: of how many documents it may be asked, and some questions to begin with.

const EXAMPLES = 4;

// So many documents are counted at the most, a hundred with each request.
const MOST_COUNTED = 500;

// The documents that were told of, all of them if `all`; whether a model writes answers; and whether documents can be
// added, as long as the server does not say no.
let known = { documents: [], all: false, notice: null };
let writable = true;

// It asks for no key: those who have none yet are asked for it with their question.
async function look() {
  let documents = [], after = "";
  do {
    const { said } = await callOnce("GET", `/v1/documents?limit=100${after}`).catch(() => ({ said: {} }));
    if (!Array.isArray(said.documents)) return;
    documents = [...documents, ...said.documents];
    learn({ ...said, documents });
    after = said.cursor ? `&cursor=${encodeURIComponent(said.cursor)}` : "";
  } while (after && documents.length < MOST_COUNTED);
  welcome();
}

// What a list of documents says beside them.
function learn(said) {
  const more = known.documents.length > said.documents.length && said.cursor;
  known = { documents: more ? known.documents : said.documents, all: more ? known.all : !said.cursor, notice: said.notice };
  writable = said.writable !== false;
  (said.collections || []).forEach(know);
}

function welcome() {
  const count = known.all ? known.documents.length : 0;
  byId("invitation").textContent = count > 1 ? filled("inviteCount", count) : word("invitation");
  byId("question").placeholder = word(byId("welcome").hidden ? "followUp" : "placeholder");
  byId("notice").textContent = known.notice ? `${word("noModel")} ${word("connect")}` : "";
  const titles = known.documents.filter((one) => one.status === "ready" && one.title).map((one) => one.title);
  const spread = titles.filter((_, at) => at % Math.ceil(titles.length / EXAMPLES || 1) === 0).slice(0, EXAMPLES);
  byId("examples").replaceChildren(...spread.map((title) => {
    const question = filled("example", seen(title));
    return make("li", {}, make("button", { type: "button", on: () => askAnew(question) }, theirs(question)));
  }));
}
