// A finished answer: its sentences with their verdicts in them, what they rest on, and one line of evidence.

const GOOD = { full: "good", fully_supported: "good", relevant: "good", partial: "some", partially_supported: "some" };
const colour = (label) => (Object.hasOwn(GOOD, label) ? GOOD[label] : "bad");
const verdict = (label, text) => make("strong", { class: colour(label) }, text ?? inWords(label));
// What a rule says is no judgement: it is grey, and in other words.
const byRule = (one) => one.judged_by === "rule";
const heading = (name) => make("h3", {}, word(name));

// A claim belongs to the sentence with which it shares most pairs of letters, in any language, and at least so many.
const LEAST_SHARED = 0.5;
const RANK = ["full", "partial", "none", "contradicted"];
const pairsOf = (text) => {
  const letters = Array.from(text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ""));
  return new Set(letters.slice(1).map((letter, at) => letters[at] + letter));
};
const shareOf = (claim, sentence) => [...claim].filter((pair) => sentence.has(pair)).length / Math.max(1, claim.size);

// The answer in stretches of [text, sentence's number, citations that end there]. `answer_span` counts characters, of
// which JavaScript takes some for two.
function stretchesOf(answer, citations) {
  const letters = Array.from(answer), ends = new Map();
  citations.forEach((one, at) => {
    const end = Math.min(Math.max(one.answer_span[1], 0), letters.length);
    ends.set(end, [...(ends.get(end) || []), at]);
  });
  let offset = 0;
  const cuts = new Map([...new Intl.Segmenter(language, { granularity: "sentence" }).segment(answer)].map(
    ({ segment }, at) => [(offset += Array.from(segment).length), at]));
  const found = [];
  let done = 0, sentence = 0;
  for (const cut of [...new Set([...cuts.keys(), ...ends.keys()])].sort((one, other) => one - other)) {
    // A citation may stand before the space that ends its sentence.
    found.push([letters.slice(done, cut).join(""), sentence, ends.get(cut) || []]);
    done = cut;
    if (cuts.has(cut)) sentence = cuts.get(cut) + 1;
  }
  return found;
}

// The answer's text up to each citation's end, with the citation's number; the rest has null for it.
function pieces(response) {
  return stretchesOf(response.answer, response.citations).flatMap(([text, , ended]) =>
    (ended.length ? ended.map((at, nth) => [nth ? "" : text, at]) : [[text, null]]));
}

// The worst verdict on each sentence; a claim that stands in none is among those that are told apart.
function worstOf(stretches, claims) {
  const texts = [];
  for (const [text, at] of stretches) texts[at] = (texts[at] || "") + text;
  const sentences = texts.map(pairsOf), worst = new Map();
  for (const claim of claims) {
    const shares = sentences.map((sentence) => shareOf(pairsOf(claim.claim), sentence));
    const best = shares.indexOf(Math.max(...shares));
    const isWorse = RANK.indexOf(claim.support) >= RANK.indexOf(worst.get(best) || "full");
    if (shares[best] >= LEAST_SHARED && isWorse) worst.set(best, claim.support);
  }
  return worst;
}

// An answer, or a draft of one, whose sentences light what they rest on; `sources` is null as long as there are none.
function textOf(answer, citations, claims, sources, draft = false) {
  const made = make("div", { class: draft ? "answer draft" : "answer", dir: "auto", lang: "" });
  if (answer.length > 2000) scrolls(made, answer);
  const stretches = stretchesOf(answer, citations), worst = worstOf(stretches, claims);
  const spans = new Map(), cites = new Map();
  for (const [, sentence, ended] of stretches) cites.set(sentence, [...(cites.get(sentence) || []), ...ended]);
  for (const [text, sentence, ended] of stretches) {
    const said = worst.get(sentence);
    if (!text.trim()) made.append(text, ...(sources ? ended.map((at) => sources.mark(at)) : []));
    else {
      const kind = said ? RANK.indexOf(said) > 1 ? "out" : said : "";
      // A number stays on the line of the word before it.
      const rest = sources && ended.length ? text.search(/\S{1,8}\s*$/u) : text.length;
      const part = make("span", { class: `said ${kind}` }, text.slice(0, rest));
      if (rest < text.length) part.append(make("span", { class: "tail" }, text.slice(rest), ...ended.map((at) => sources.mark(at))));
      spans.set(sentence, [...(spans.get(sentence) || []), part]);
      made.append(part);
      const [first] = cites.get(sentence);
      if (sources && first !== undefined) points(part, () => sources.light(first), () => sources.open(first, part));
    }
    const last = stretches.findLast(([, one]) => one === sentence);
    if (said && said !== "full" && last[0] === text && last[2] === ended) {
      made.append(make("span", { class: "unseen" }, ` (${inWords(said === "partial" ? "some" : said)})`));
    }
  }
  if (sources) sources.sentences = (at) => [...cites].filter(([, list]) => list.includes(at)).flatMap(([one]) => spans.get(one) || []);
  return made;
}

function points(part, light, open) {
  part.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") light(); });
  part.addEventListener("click", () => { if (!String(getSelection())) open(); });
}

const placeOf = (citation) => citation.locator || (citation.page ? `${word("page")} ${citation.page}` : "");

// Where something stands: its document, the heading above it, and the page.
const whereOf = (one) => [one.document, one.heading, placeOf(one)].filter(Boolean).map(named).flatMap(
  (part, at) => (at ? [" › ", part] : [part]));

const IN_DOLLARS = { style: "currency", currency: "USD" };
const dollars = (cost) => (cost === null ? word("unknown") : decimal(cost, 4, IN_DOLLARS));
// A time that would be written as 0 is none.
const seconds = (time, digits = 2) => (time < 0.5 / 10 ** digits ? "" : decimal(time, digits, { style: "unit", unit: "second" }));
const tookOf = (usage) => Math.max(0, ...Object.values(usage.by_step).map((step) => (step.started || 0) + step.seconds));

// How many claims hold, from how many sources; or that a rule, and no model, has compared the answer with its source.
function evidenceOf(response) {
  const { support } = response.reflection, sources = response.citations.length;
  const said = [], rule = support ? byRule(support) : response.notice;
  if (rule) {
    said.push(`${word(support?.claims.every((claim) => claim.passage_ids.length) ? "foundByRule" : "notFoundByRule")} ${word("noneChecked")}`);
  } else if (support && support.claims.length) {
    const held = support.claims.filter((claim) => claim.support === "full").length;
    said.push(make("strong", { class: colour(support.level) }, filled("claimsChecked", held, support.claims.length)));
  }
  if (sources) said.push(filled(sources > 1 ? "sourceCount" : "oneSource", sources));
  return make("p", { class: `evidence dim${rule ? " notice" : ""}` }, ...said.flatMap((one, at) => (at ? [" · ", one] : [one])));
}

const CONSOLE = /^https:\/\/[a-z0-9-]+\.console\.aws\.amazon\.com\//;

function linksOf(response) {
  const url = response.execution.console_url || "";
  return CONSOLE.test(url) ? make("p", {}, make("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, word("console"))) : null;
}

// What stands below an abstention, whose text says what was searched: what came nearest, and what to do.
function helpOf(response, again) {
  const nearest = response.nearest || [];
  const act = (name, on) => make("button", { type: "button", on }, word(name));
  return [heading("nearest"), nearest.length ? "" : make("p", { class: "dim" }, word("nothingNear")),
  ...nearest.map((one, at) => make("details", { class: "near", open: at ? null : "" },
    make("summary", {}, ...whereOf(one)), block("blockquote", unwrapped([one.text])[0]))),
  make("p", { class: "actions" }, again && act("unfiltered", again), writable ? act("addDocument", () => openView("documents")) : null),
  make("p", { class: "dim" }, word("adviceText"))];
}

// What stands above an answer that is none, or not all of one.
function statusOf(response) {
  if (response.status === "failed") return failureOf(word("failed"), false, response.question ? () => askAnew(response.question) : null);
  return response.status === "answered" || response.status === "abstained" ? "" : make("p", { class: "dim status" }, inWords(response.status));
}

// All of a response, as children of a turn; `again` asks the same without filters, where there were some.
function shown(response, sources, again = null) {
  const abstained = response.status === "abstained";
  const claims = response.reflection.support && !byRule(response.reflection.support) ? response.reflection.support.claims : [];
  const answer = abstained ? block("div", response.answer, "answer")
    : textOf(response.answer, response.citations, claims, sources);
  return [
    response.citations.length ? sources.cards() : "",
    statusOf(response),
    answer,
    response.selection ? block("p", response.selection.note, "some selection") : "",
    // Such as that a part of the passages was not searched yet: without it a refusal looks final.
    ...response.usage.warnings.map((warning) => make("p", { class: "some" }, theirs(warning))),
    ...(abstained ? helpOf(response, again) : response.status === "failed" ? [] : [evidenceOf(response)]),
    feedbackOf(response),
    checkedOf(response),
  ];
}
