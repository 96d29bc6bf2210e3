// How an answer was checked: its claims, its searches, why each step was taken, and the workflow as a picture.

const relevanceText = (one) => (byRule(one) ? word("overlap") : inWords(one.label));
const relevanceWord = (one) => (byRule(one) ? make("span", { class: "dim" }, word("overlap")) : verdict(one.label));

function relevanceOf(verdicts) {
  return make("ul", { class: "plain" }, ...verdicts.map((one) => make("li", {}, relevanceWord(one),
    one.score === null ? "" : ` ${decimal(one.score, 2)}`, " · ", named(one.document || one.passage_id), ...(byRule(one) || !one.reason ? [] : [": ", theirs(one.reason)]))));
}

function claimsOf(response) {
  const { support } = response.reflection;
  if (byRule(support)) {
    return [make("p", { class: "dim" }, word(support.level === "fully_supported" ? "foundByRule" : "notFoundByRule"))];
  }
  const claims = support.claims.map((one, at) => make("li", {},
    verdict(one.support, inWords(one.support === "partial" ? "some" : one.support)), " · ", theirs(one.claim), " ", labelOf(response, one, at)));
  return [heading("claims"), make("p", {}, verdict(support.level)), make("ul", { class: "plain" }, ...claims)];
}

const decisionOf = (one) => make("p", { class: byRule(one) ? "dim" : null }, `${word("retrieve")}: `,
  byRule(one) ? one.decision : verdict("full", one.decision), " ", theirs(one.reason));

// The verdicts of one score on the answer, such as its use.
const scoresOf = ({ retrieve, relevance, support, ...others }) => Object.entries(others).filter(([, one]) => one && !byRule(one)).map(
  ([name, { score, reason }]) => make("p", {}, `${inWords(name)}: ${score ?? word("ungraded")} `, theirs(reason)));

// A state in words, also as usage names it, such as grade_relevance; one that is not known yet stays as it is.
const stepWord = (state) => (Object.hasOwn(WORDS, `step_${state}`) ? word(`step_${state}`) : state);
const stepOf = (name) => {
  const state = name.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
  return Object.hasOwn(WORDS, `step_${state}`) ? stepWord(state) : name;
};

// The steps of the picture, each at its place, and those that lead back from one place to another.
const NODES = { DecideRetrieval: 0, Retrieve: 1, GradeRelevance: 2, Generate: 3, GradeSupport: 4, GradeUtility: 5, ComposeAnswer: 6 };
const BACK = { RewriteQuestion: [5, 1], SearchWeb: [2, 1] };
const WIDE = 104, HIGH = 44;

// The workflow, with the steps of a pass lit, or those that ran at all; an arrow back where a step leads there.
function pictureOf(path) {
  const svg = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    made.append(...children);
    return made;
  };
  const centre = (at) => at * (WIDE + 16) + WIDE / 2;
  const nodes = Object.entries(NODES).map(([state, at]) => {
    // That the answer was composed stands in no path.
    const times = path.filter((one) => one === state).length || Number(state === "ComposeAnswer");
    const label = `${stepWord(state)}${times > 1 ? ` ×${times}` : ""}`;
    return svg("g", { class: times ? "node ran" : "node", "data-state": state },
      svg("rect", { x: centre(at) - WIDE / 2, y: 40, width: WIDE, height: HIGH, rx: 8 }),
      svg("text", { x: centre(at), y: 40 + HIGH / 2 + 4, "text-anchor": "middle" }, label));
  });
  const ways = Object.values(NODES).slice(1).map((at) => svg("path", { class: "way", d: `M${centre(at) - WIDE / 2 - 16} 62h14` }));
  const backs = Object.entries(BACK).map(([state, [from, to]], nth) => svg("g", { class: path.includes(state) ? "back ran" : "back", "data-state": state },
    svg("path", { d: `M${centre(from)} 40C${centre(from)} ${8 - 8 * nth} ${centre(to)} ${8 - 8 * nth} ${centre(to)} 38` }),
    svg("text", { x: (centre(from) + centre(to)) / 2, y: 14, "text-anchor": "middle" }, stepWord(state))));
  const drawing = svg("svg", { viewBox: `0 0 ${7 * (WIDE + 16)} 96`, role: "img", "aria-label": word("workflow"), class: "workflow" }, ...backs, ...ways, ...nodes);
  return make("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": word("workflow") }, drawing);
}

// Why each pass was made, a line a pass: the one that is pointed at or focused has its steps lit in the picture.
function passesOf(response) {
  const picture = pictureOf(response.path);
  const lit = (steps) => {
    for (const node of picture.querySelectorAll("[data-state]")) node.classList.toggle("lit", steps.includes(node.dataset.state));
  };
  const lines = (response.passes || []).map((one) => {
    const item = make("li", { tabindex: "0" }, theirs(one.why), one.steps?.length
      ? make("span", { class: "dim" }, ` ${one.steps.map((state) => stepWord(state)).join(" · ")}`) : null);
    for (const [begins, ends] of [["pointerenter", "pointerleave"], ["focus", "blur"]]) {
      item.addEventListener(begins, () => lit(one.steps || []));
      item.addEventListener(ends, () => lit([]));
    }
    return item;
  });
  return [picture, lines.length ? make("ol", { class: "passes" }, ...lines) : null];
}

// A line a step, with when it was at work. What was kept before steps told that begins at the left.
function timelineOf(usage) {
  const total = Math.max(0.001, tookOf(usage)), rows = make("div", { class: "steps" });
  for (const [name, step] of Object.entries(usage.by_step)) {
    const bar = make("span", { class: "bar" });
    bar.style.marginInlineStart = `${(100 * (step.started || 0)) / total}%`;
    bar.style.width = `${(100 * step.seconds) / total}%`;
    const track = make("span", { class: "track", "aria-hidden": "true" }, bar);
    rows.append(theirs(stepOf(name)), track, make("span", {}, `${seconds(step.seconds)} · ${dollars(step.cost_usd)}`));
  }
  const sum = `${word("cost")}: ${dollars(usage.cost_usd)} · ${seconds(tookOf(usage))} · ${filled("calls", usage.model_calls)}`;
  return [make("p", {}, sum), rows, ...usage.warnings.map((warning) => make("p", { class: "some" }, theirs(warning)))];
}

function checkedOf(response) {
  const { retrieve, relevance, support } = response.reflection;
  return make("details", { class: "checked" }, make("summary", {}, word("checked")),
    ...(support ? claimsOf(response) : []),
    ...searchedOf(response.queries),
    heading("why"), ...passesOf(response),
    heading("verdicts"), retrieve && decisionOf(retrieve), relevance.length ? make("p", {}, word("relevance")) : null,
    relevanceOf(relevance), ...scoresOf(response.reflection),
    ...comparedOf(response.scores, response.citations, null, Boolean(response.notice)),
    ...timelineOf(response.usage), linksOf(response));
}
