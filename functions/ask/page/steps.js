// The steps of a question: drawn as they run, with what they bring, and afterwards by time and cost.

// The kinds of a pass, as docs/workflow.svg draws them.
const LANES = {
  lookup: ["Retrieve", "SearchWeb"],
  reading: ["DecideRetrieval", "GradeRelevance", "Generate"],
  judge: ["GradeSupport", "GradeUtility", "RewriteQuestion"],
  compare: ["RankPaths", "PickCandidate"],
  compose: ["ComposeAnswer"],
};
// Of strategies that compare answers: drawn once they are entered, for most questions never do.
const SOME = new Set(LANES.compare);

const isAnotherGrader = (state) => state.startsWith("Grade") && !Object.values(LANES).flat().includes(state);

function laneOf(name, trace) {
  const byState = (state) => trace.filter((step) => step.state === state);
  const more = name === "judge" ? trace.map((step) => step.state).filter(isAnotherGrader) : [];
  const steps = [...new Set([...LANES[name], ...more])].filter((state) => !SOME.has(state) || byState(state).length).map((state) => {
    const entered = byState(state);
    const open = entered.some((step) => !step.finished && !step.error);
    const times = entered.length > 1 ? `×${entered.length}` : null;
    const kind = open || !entered.length ? null : "done";
    return make("li", { class: kind, "aria-current": open ? "step" : null, "data-times": times }, state);
  });
  if (!steps.length) return null;
  return make("li", {}, make("p", { class: "dim" }, word(name)), make("ol", { class: "path" }, ...steps));
}

function workflowOf(trace) {
  return make("ol", { class: "lanes", "aria-label": word("workflow") },
    ...Object.keys(LANES).map((name) => laneOf(name, trace)));
}

// Why each pass was made: a line a pass, the last one the reason of what runs now, or of the end.
function reasonsOf(passes) {
  const lines = (passes || []).map((one) => make("li", {}, theirs(one.why)));
  return lines.length ? make("ol", {}, ...lines) : null;
}

function whyOf(passes) {
  const reasons = reasonsOf(passes);
  return reasons ? [make("details", {}, make("summary", {}, word("why")), reasons)] : [];
}

// Where something stands: its document, the heading above it, and the page.
const whereOf = (one) => [one.document, one.heading, placeOf(one)].filter(Boolean).map(named).flatMap(
  (part, at) => (at ? [" › ", part] : [part]));

// Passages as they came, each with the score of its search, and what is said of it once that is known.
function foundOf(passages, relevance) {
  const judged = new Map(relevance.map((one) => [one.passage_id, one]));
  const rows = passages.map((one) => {
    const said = judged.get(one.passage_id);
    const verdicts = said ? [relevanceWord(said), said.score === null ? "" : ` ${decimal(said.score, 2)}`]
      : [make("span", { class: "dim" }, word("judging"))];
    const score = one.score === null ? null : ` · ${word("score")} ${decimal(one.score, 2)}`;
    return make("li", {}, ...whereOf(one), score, " · ", ...verdicts);
  });
  return rows.length ? [heading("found"), make("ul", { class: "plain found" }, ...rows)] : [];
}

function progress(said) {
  const reflection = said.reflection || { relevance: [] };
  return [
    make("p", { class: "dim" }, word("running")),
    said.trace && workflowOf(said.trace),
    reasonsOf(said.passes),
    reflection.retrieve && decisionOf(reflection.retrieve),
    ...foundOf(said.passages || [], reflection.relevance),
    ...(reflection.support ? claimsOf(reflection.support) : []),
    ...scoresOf(reflection),
    ...comparedOf(said.scores, [], "", reflection.retrieve ? byRule(reflection.retrieve) : false),
  ].filter(Boolean);
}

const IN_DOLLARS = { style: "currency", currency: "USD" };
const dollars = (cost) => (cost === null ? word("unknown") : decimal(cost, 4, IN_DOLLARS));
const seconds = (time) => decimal(time, 2, { style: "unit", unit: "second" });

// A line a step, with when it was at work. What was kept before steps told that begins at the left.
function timelineOf(usage) {
  const steps = Object.entries(usage.by_step);
  const ends = steps.map(([, step]) => (step.started || 0) + step.seconds);
  const total = Math.max(0.001, ...ends);
  const rows = make("div", { class: "steps" });
  for (const [name, step] of steps) {
    const bar = make("span", { class: "bar" });
    bar.style.marginInlineStart = `${(100 * (step.started || 0)) / total}%`;
    bar.style.width = `${(100 * step.seconds) / total}%`;
    const track = make("span", { class: "track", "aria-hidden": "true" }, bar);
    rows.append(theirs(name), track, make("span", {}, `${seconds(step.seconds)} · ${dollars(step.cost_usd)}`));
  }
  const time = steps.length ? ` · ${seconds(total)}` : "";
  const sum = `${word("cost")}: ${dollars(usage.cost_usd)}${time} · ${usage.model_calls} ${word("calls")}`;
  const warnings = usage.warnings.map((warning) => make("p", { class: "some" }, theirs(warning)));
  return make("details", { class: "spent" }, make("summary", {}, sum), rows, ...warnings);
}
