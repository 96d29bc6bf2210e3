// The page before a question: of how many documents it may be asked, and some questions to begin with.

const EXAMPLES = 4;

// The documents that were told of, all of them if `all`; whether more can be added, as long as the server does not say no.
let known = { documents: [], all: false };
let writable = true;

// It asks for no key: those who have none yet are asked for it with their question.
async function look() {
  const { said } = await callOnce("GET", "/v1/documents?limit=50").catch(() => ({ said: {} }));
  if (!Array.isArray(said.documents)) return;
  learn(said);
  welcome();
}

// What a list of documents says beside them.
function learn(said) {
  known = { documents: said.documents, all: !said.cursor };
  writable = said.writable !== false;
  (said.collections || []).forEach(know);
}

function welcome() {
  const count = known.all ? known.documents.length : 0;
  byId("invitation").textContent = count > 1 ? filled("inviteCount", count) : word("invitation");
  byId("question").placeholder = word("placeholder");
  const titles = known.documents.filter((one) => one.status === "ready" && one.title).map((one) => one.title);
  const spread = titles.filter((_, at) => at % Math.ceil(titles.length / EXAMPLES || 1) === 0).slice(0, EXAMPLES);
  byId("examples").replaceChildren(...spread.map((title) => {
    const question = filled("example", seen(title));
    return make("li", {}, make("button", { type: "button", on: () => askAnew(question) }, theirs(question)));
  }));
}
