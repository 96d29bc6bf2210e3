// A finished answer: its text with numbered citations, and why it may be believed.

const GOOD = { full: "good", fully_supported: "good", relevant: "good", partial: "some", partially_supported: "some" };
const colour = (label) => (Object.hasOwn(GOOD, label) ? GOOD[label] : "bad");
const verdict = (label, text) => make("strong", { class: colour(label) }, text ?? inWords(label));
// So many characters go along on either side of a quote.
const AROUND = 200;
// What a rule says is no judgement: it is grey, and in other words.
const byRule = (one) => one.judged_by === "rule";
const relevanceWord = (one) => (byRule(one) ? make("span", { class: "dim" }, word("overlap")) : verdict(one.label));
const heading = (name) => make("h3", {}, word(name));

// The answer's text up to each citation's end, with the citation's number; the rest has null for it.
// `answer_span` counts characters, of which JavaScript takes some for two.
function pieces(response) {
  const letters = Array.from(response.answer), found = [];
  const order = response.citations.map((citation, at) => [citation.answer_span[1], at]).sort((a, b) => a[0] - b[0]);
  let done = 0;
  for (const [end, at] of order) {
    const upTo = Math.min(Math.max(end, done), letters.length);
    found.push([letters.slice(done, upTo).join(""), at]);
    done = upTo;
  }
  return [...found, [letters.slice(done).join(""), null]];
}

function cited(response, notes) {
  const made = make("div", { class: "answer", dir: "auto", lang: "" });
  if (response.answer.length > 2000) scrolls(made, response.answer);
  for (const [text, at] of pieces(response)) made.append(text, ...(at === null ? [] : [mark(at, notes[at])]));
  return made;
}

function mark(at, note) {
  const open = () => {
    note.open = true;
    for (const other of note.parentElement.children) other.classList.toggle("chosen", other === note);
    note.firstChild.focus();
  };
  const label = `${word("citation")} ${at + 1}`;
  const made = make("button", { type: "button", class: "cite", "aria-label": label, on: open }, String(at + 1));
  note.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !note.open) return;
    note.open = false;
    made.focus();
  });
  return made;
}

const placeOf = (citation) => citation.locator || (citation.page ? `${word("page")} ${citation.page}` : "");

function noteOf(citation, at) {
  return make("details", { class: "note" }, make("summary", {}, `${at + 1}. `, ...whereOf(citation)), quoteOf(citation));
}

// A quote where it stands in its passage, of which some is left out on either side if it is long.
function quoteOf({ before = "", quote, after = "" }) {
  const made = make("blockquote", { dir: "auto", lang: "" }, before.length < AROUND ? before : `…${before}`,
    make("mark", {}, quote), after.length < AROUND ? after : `${after}…`);
  if (made.textContent.length > 400) scrolls(made, quote);
  return made;
}

function relevanceOf(verdicts) {
  return make("ul", { class: "plain" }, ...verdicts.map((one) => make("li", {}, relevanceWord(one),
    one.score === null ? "" : ` ${decimal(one.score, 2)}`, " · ", named(one.document || one.passage_id))));
}

function claimsOf(support) {
  if (byRule(support)) {
    return [make("p", { class: "dim" }, word(support.level === "fully_supported" ? "foundByRule" : "notFoundByRule"))];
  }
  const claims = support.claims.map((one) => make("li", {}, theirs(one.claim), " — ",
    verdict(one.support, inWords(one.support === "partial" ? "some" : one.support))));
  return [heading("claims"), make("p", {}, verdict(support.level)), make("ul", { class: "plain" }, ...claims)];
}

const decisionOf = (one) => make("p", { class: byRule(one) ? "dim" : null }, `${word("retrieve")}: `,
  byRule(one) ? one.decision : verdict("full", one.decision), " ", theirs(one.reason));

// The verdicts of one score on the answer, such as its use.
const scoresOf = ({ retrieve, relevance, support, ...others }) => Object.entries(others).filter(([, one]) => one && !byRule(one)).map(
  ([name, { score, reason }]) => make("p", {}, `${inWords(name)}: ${score ?? word("ungraded")} `, theirs(reason)));

function verdictsOf(reflection) {
  const { retrieve, relevance } = reflection;
  return make("details", {}, make("summary", {}, word("verdicts")),
    retrieve && decisionOf(retrieve),
    relevance.length ? make("p", {}, word("relevance")) : null, relevanceOf(relevance),
    ...scoresOf(reflection));
}

function helpOf(response) {
  const nearest = [...response.reflection.relevance].sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, 3);
  const look = make("button", { type: "button", on: () => view("documents") }, word("lookAtDocuments"));
  return [...searchedOf(response.queries), heading("nearest"),
    nearest.length ? relevanceOf(nearest) : make("p", {}, word("nothingNear")),
    heading("advice"), make("p", {}, word("adviceText")), make("p", {}, look)];
}

function searchedOf(queries) {
  return queries.length ? [heading("searched"), make("ul", {}, ...queries.map((query) => make("li", {}, theirs(query))))] : [];
}

const CONSOLE = /^https:\/\/[a-z0-9-]+\.console\.aws\.amazon\.com\//;

function linksOf(response) {
  const url = response.execution.console_url || "";
  const inConsole = CONSOLE.test(url)
    ? make("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, word("console")) : null;
  return make("p", { class: "actions" }, make("a", { href: `#${response.id}` }, word("link")), inConsole);
}

// All of a response, as children of a turn.
function shown(response) {
  const notes = response.citations.map(noteOf);
  const abstained = response.status === "abstained";
  const kind = response.notice ? "dim" : { answered: "good", partial: "some" }[response.status] || "bad";
  return [
    ...(response.notice ? [make("p", { class: "dim notice" }, word("noModel"))] : []),
    make("p", { class: kind }, inWords(response.status)),
    cited(response, notes),
    ...(abstained ? helpOf(response) : []),
    ...(notes.length ? [heading("evidence"), make("div", { class: "notes" }, ...notes)] : []),
    ...(response.reflection.support ? claimsOf(response.reflection.support) : []),
    ...(abstained ? [] : searchedOf(response.queries)),
    ...comparedOf(response.scores, response.citations, null, Boolean(response.notice)),
    pathOf(response.path, []), ...whyOf(response.passes), verdictsOf(response.reflection), timelineOf(response.usage), linksOf(response),
    feedbackOf(response),
  ];
}
