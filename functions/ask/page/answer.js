// A finished answer: its text with numbered citations, and why it may be believed.

const GOOD = { full: "good", fully_supported: "good", relevant: "good", partial: "some", partially_supported: "some" };
const colour = (label) => (Object.hasOwn(GOOD, label) ? GOOD[label] : "bad");
const verdict = (label, text) => make("strong", { class: colour(label) }, text ?? inWords(label));
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
  const where = [citation.document, citation.heading, placeOf(citation)].filter(Boolean);
  const summary = make("summary", {}, `${at + 1}. `);
  where.forEach((part, index) => summary.append(index ? " › " : "", named(part)));
  return make("details", { class: "note" }, summary, block("blockquote", citation.quote));
}

function relevanceOf(verdicts) {
  return make("ul", { class: "plain" }, ...verdicts.map((one) => make("li", {}, verdict(one.label),
    one.score === null ? "" : ` ${decimal(one.score, 2)}`, " · ", named(one.document || one.passage_id))));
}

function claimsOf(support) {
  const claims = support.claims.map((one) => make("li", {}, theirs(one.claim), " — ",
    verdict(one.support, inWords(one.support === "partial" ? "some" : one.support))));
  return [heading("claims"), make("p", {}, verdict(support.level)), make("ul", { class: "plain" }, ...claims)];
}

function verdictsOf(reflection) {
  const { retrieve, relevance, utility } = reflection;
  return make("details", {}, make("summary", {}, word("verdicts")),
    retrieve && make("p", {}, `${word("retrieve")}: `, verdict("full", retrieve.decision), " ", theirs(retrieve.reason)),
    relevance.length ? make("p", {}, word("relevance")) : null, relevanceOf(relevance),
    utility && make("p", {}, `${word("utility")}: ${utility.score ?? word("ungraded")} `, theirs(utility.reason)));
}

const IN_DOLLARS = { style: "currency", currency: "USD" };
const dollars = (cost) => (cost === null ? word("unknown") : decimal(cost, 4, IN_DOLLARS));
const seconds = (time) => decimal(time, 2, { style: "unit", unit: "second" });

function usageOf(usage) {
  const steps = Object.entries(usage.by_step);
  const longest = Math.max(0.001, ...steps.map(([, step]) => step.seconds));
  const rows = make("div", { class: "steps" });
  for (const [name, step] of steps) {
    const bar = make("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${(100 * step.seconds) / longest}%`;
    rows.append(make("span", {}, name), bar, make("span", {}, `${seconds(step.seconds)} · ${dollars(step.cost_usd)}`));
  }
  const sum = `${word("cost")}: ${dollars(usage.cost_usd)} · ${usage.model_calls} ${word("calls")}`;
  const warnings = usage.warnings.map((warning) => make("p", { class: "some" }, theirs(warning)));
  return make("details", {}, make("summary", {}, sum), rows, ...warnings);
}

function helpOf(response) {
  const nearest = [...response.reflection.relevance].sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, 3);
  return [...(nearest.length ? [heading("nearest"), relevanceOf(nearest)] : []),
    heading("advice"), make("p", {}, word("adviceText"))];
}

function linksOf(response) {
  const url = response.execution.console_url || "";
  const inConsole = url.startsWith("https://")
    ? make("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, word("console")) : null;
  return make("p", { class: "actions" }, make("a", { href: `#${response.id}` }, word("link")), inConsole);
}

// All of a response, as children of a turn.
function shown(response) {
  const notes = response.citations.map(noteOf);
  const queries = response.queries.map((query) => make("li", {}, theirs(query)));
  const kind = { answered: "good", partial: "some" }[response.status] || "bad";
  return [
    make("p", { class: kind }, inWords(response.status)),
    cited(response, notes),
    ...(response.status === "abstained" ? helpOf(response) : []),
    ...(notes.length ? [heading("evidence"), make("div", { class: "notes" }, ...notes)] : []),
    ...(response.reflection.support ? claimsOf(response.reflection.support) : []),
    ...(queries.length ? [heading("searched"), make("ul", {}, ...queries)] : []),
    pathOf(response.path, []), verdictsOf(response.reflection), usageOf(response.usage), linksOf(response),
    feedbackOf(response),
  ];
}
