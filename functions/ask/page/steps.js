// The steps of a question: drawn as they run, with what they bring, and afterwards by time and cost.

// As docs/workflow.svg draws them: what stands in a lane runs side by side.
const LANES = {
  gather: ["DecideRetrieval", "Retrieve", "SearchWeb", "GradeRelevance", "Generate"],
  reflect: ["GradeSupport", "GradeUtility", "RewriteQuestion"],
  compose: ["ComposeAnswer"],
};

function laneOf(name, trace) {
  const steps = LANES[name].map((state) => {
    const entered = trace.filter((step) => step.state === state);
    const open = entered.some((step) => !step.finished && !step.error);
    const times = entered.length > 1 ? `×${entered.length}` : null;
    const kind = open || !entered.length ? null : "done";
    return make("li", { class: kind, "aria-current": open ? "step" : null, "data-times": times }, state);
  });
  return make("li", {}, make("p", { class: "dim" }, word(name)), make("ol", { class: "path" }, ...steps));
}

function workflowOf(trace) {
  return make("ol", { class: "lanes", "aria-label": word("workflow") },
    ...Object.keys(LANES).map((name) => laneOf(name, trace)));
}

const placeOf = (one) => [one.document, one.heading, one.locator || (one.page ? `${word("page")} ${one.page}` : "")]
  .filter(Boolean).map(theirs).flatMap((part, at) => (at ? [" › ", part] : [part]));

// Passages as they came, each with the score of its search, and what is said of it once that is known.
function foundOf(passages, relevance) {
  const judged = new Map(relevance.map((one) => [one.passage_id, one]));
  const rows = passages.map((one) => {
    const said = judged.get(one.passage_id);
    const verdicts = said ? [verdict(said.label), said.score === null ? "" : ` ${said.score.toFixed(2)}`]
      : [make("span", { class: "dim" }, word("judging"))];
    const score = one.score === null ? null : ` · ${word("score")} ${one.score.toFixed(2)}`;
    return make("li", {}, ...placeOf(one), score, " · ", ...verdicts);
  });
  return rows.length ? [heading("found"), make("ul", { class: "plain found" }, ...rows)] : [];
}

function progress(said) {
  const reflection = said.reflection || { relevance: [] };
  return [
    make("p", { class: "dim" }, word("running")),
    said.trace && workflowOf(said.trace),
    reflection.retrieve && decisionOf(reflection.retrieve),
    ...foundOf(said.passages || [], reflection.relevance),
    ...(reflection.support ? claimsOf(reflection.support) : []),
    reflection.utility && usefulnessOf(reflection.utility),
  ].filter(Boolean);
}

const dollars = (cost) => (cost === null ? word("unknown") : `$${cost.toFixed(4)}`);

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
    rows.append(theirs(name), track, make("span", {}, `${step.seconds.toFixed(2)} s · ${dollars(step.cost_usd)}`));
  }
  const seconds = steps.length ? ` · ${total.toFixed(2)} s` : "";
  const sum = `${word("cost")}: ${dollars(usage.cost_usd)}${seconds} · ${usage.model_calls} ${word("calls")}`;
  const warnings = usage.warnings.map((warning) => make("p", { class: "some" }, theirs(warning)));
  return make("details", { class: "spent" }, make("summary", {}, sum), rows, ...warnings);
}
