// How an answer was checked, in plain words; the numbers, the reasons of each pass and the workflow one click further.

const relevanceText = (one) => (byRule(one) ? word("similarity") : inWords(one.label));
const relevanceWord = (one) => (byRule(one) ? make("span", { class: "dim" }, word("similarity")) : verdict(one.label));

// What was searched for, and which passages came of it and help; a reason that a model gave stands behind it.
function searchedOf(response) {
  const { queries, reflection: { relevance } } = response;
  if (!queries.length && !relevance.length) return [];
  const helps = relevance.filter((one) => one.relevant).length;
  return [heading("searched"), make("ul", { class: "plain" }, ...queries.map((query) => make("li", {}, theirs(query)))),
    relevance.length ? make("p", {}, filled("passagesRead", relevance.length, helps)) : null,
    passagesOf(relevance, (one) => (byRule(one) || !one.reason ? [] : [": ", theirs(one.reason)]))];
}

function claimsOf(response) {
  const { support } = response.reflection;
  if (!support || byRule(support)) return [];
  const claims = support.claims.map((one, at) => make("li", {},
    verdict(one.support, inWords(one.support === "partial" ? "some" : one.support) + odds(one)), " · ", theirs(one.claim), " ", labelOf(response, one, at)));
  return [heading("claims"), make("p", {}, verdict(support.level, inWords(support.level) + odds(support))), make("ul", { class: "plain" }, ...claims)];
}

// What was done, a sentence a step in its order; what a rule does in place of a model has sentences of its own.
function doneOf(response) {
  const steps = response.path.map((state) => stepOf(state, response)).filter(Boolean);
  return steps.length ? [heading("steps"), make("ol", {}, ...steps.map((said) => make("li", {}, said)))] : [];
}

// The probability that a decision model gave.
const odds = ({ probability }) => (probability === undefined ? "" : ` ${decimal(probability, 2)}`);

const judgeOf = ({ notice, reflection: { retrieve } }, state) => ((retrieve && state !== "Generate" ? byRule(retrieve) : notice) ? "rule" : "model");

// What a step did, in words; null for one that has none.
function stepOf(state, response) {
  const name = [`did_${state}`, `did_${state}_${judgeOf(response, state)}`].find((one) => Object.hasOwn(WORDS, one));
  return name ? word(name) : null;
}

// The passages that were judged, each with what more there is to say of it.
const passagesOf = (verdicts, more) => make("ul", { class: "plain" }, ...verdicts.map((one) =>
  make("li", {}, relevanceWord(one), " · ", named(one.document || one.passage_id), ...more(one))));

const decisionOf = (one) => make("p", { class: byRule(one) ? "dim" : null }, `${word("retrieve")}: `,
  byRule(one) ? one.decision : verdict("full", one.decision), " ", theirs(one.reason));

// The verdicts of one score on the answer, such as its use.
const scoresOf = ({ retrieve, relevance, support, ...others }) => Object.entries(others).filter(([, one]) => one && !byRule(one)).map(
  ([name, { score, ...one }]) => make("p", {}, `${inWords(name)}: ${score ?? word("ungraded")}${odds(one)} `, theirs(one.reason)));

// Why each pass was made.
function passesOf({ passes = [] }) {
  const lines = passes.map(({ why }) => make("li", {}, theirs(why)));
  return lines.length ? [heading("why"), make("ol", {}, ...lines)] : [];
}

// A line a step, with when it was at work. What was kept before steps told that begins at the left.
function timelineOf({ usage, ...response }) {
  const total = Math.max(0.001, tookOf(usage)), rows = make("div", { class: "steps" });
  for (const [name, step] of Object.entries(usage.by_step)) {
    const bar = make("span", { class: "bar" });
    bar.style.marginInlineStart = `${(100 * (step.started || 0)) / total}%`;
    bar.style.width = `${(100 * step.seconds) / total}%`;
    const track = make("span", { class: "track", "aria-hidden": "true" }, bar);
    const state = name.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
    rows.append(make("span", {}, stepOf(state, response) ?? named(name)), track, make("span", {}, [seconds(step.seconds), step.cost_usd === 0 ? "" : dollars(step.cost_usd)].filter(Boolean).join(" · ")));
  }
  const sum = [usage.cost_usd !== 0 && dollars(usage.cost_usd), seconds(tookOf(usage)), filled("calls", usage.model_calls)];
  return [heading("cost"), make("p", {}, sum.filter(Boolean).join(" · ")), rows];
}

function checkedOf(response) {
  const { retrieve, relevance } = response.reflection;
  return make("details", { class: "checked" }, make("summary", {}, word("checked")),
    ...claimsOf(response), ...searchedOf(response), ...doneOf(response),
    make("details", { class: "figures" }, make("summary", {}, word("figures")),
      ...passesOf(response), heading("verdicts"), retrieve && decisionOf(retrieve), passagesOf(relevance, (one) => (one.score === null ? [] : [` ${decimal(one.score, 2)}`])), ...scoresOf(response.reflection),
      ...timelineOf(response), linksOf(response)));
}
