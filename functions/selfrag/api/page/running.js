// A question at work: one line that stands still, the sources as they come, and a draft that is not checked yet.

// What a person waits for, in its order, and the states that belong to each.
const STAGES = {
  searching: ["Plan", "DecideRetrieval", "RewriteQuestion", "Retrieve", "SearchWeb"],
  helping: ["GradeRelevance"],
  writing: ["Generate", "PickCandidate", "RankPaths"],
  checking: ["GradeSupport", "GradeUtility"],
  answering: ["ComposeAnswer"],
};
const stageOf = (state) => Object.values(STAGES).findIndex((states) => states.includes(state));

// Which stage runs: the last one of a step that has not ended, or else that of the last step.
function stageNow(trace) {
  const open = trace.filter((step) => !step.finished).map((step) => stageOf(step.state));
  return Math.max(0, ...(open.length ? open : trace.slice(-1).map((step) => stageOf(step.state))));
}

class Running {
  constructor(body, stop) {
    const begun = performance.now();
    this.time = make("span", { class: "time" });
    this.stages = make("ol", { class: "stages plain" });
    this.cards = make("ul", { class: "cards plain", "aria-label": word("sources"), tabindex: "0" });
    this.draft = make("div", { class: "drafted" });
    body.replaceChildren(this.cards, this.draft);
    byId("running").replaceChildren(this.stages, this.time, make("button", { type: "button", on: stop }, word("stop")));
    byId("running").hidden = false;
    this.stage(0, []);
    this.clock = setInterval(() => { this.time.textContent = seconds((performance.now() - begun) / 1000, 1); }, 100);
  }

  end() {
    clearInterval(this.clock);
    byId("running").hidden = true;
  }

  stage(now, passages, relevance = []) {
    const helps = relevance.filter((one) => one.label === "relevant").length;
    const names = Object.keys(STAGES).map((name) => (name === "helping" && passages.length
      ? filled(relevance.length ? "passagesHelp" : "passagesFound", passages.length, helps) : word(name)));
    this.stages.replaceChildren(...names.map((name, at) =>
      make("li", { class: at < now ? "done" : null, "aria-current": at === now ? "step" : null }, name)));
  }

  show(said) {
    const reflection = said.reflection || { relevance: [] }, passages = said.passages || [];
    if (said.trace?.length) this.stage(stageNow(said.trace), passages, reflection.relevance || []);
    const judged = new Map((reflection.relevance || []).map((one) => [one.passage_id, one]));
    if (passages.length) this.cards.replaceChildren(...passages.slice(0, 8).map((one) => cardOf(one, judged.get(one.passage_id))));
    const { draft } = said, verdicts = draft?.support && !byRule(draft.support) ? draft.support.claims : [];
    this.draft.replaceChildren(...(draft ? [
      textOf(draft.answer, draft.citations, verdicts, null, !verdicts.length),
      make("p", { class: "dim" }, word(verdicts.length ? "checkedDraft" : "unchecked"))] : []));
  }
}

// A passage as it came, and what is said of it once that is known.
function cardOf(one, said) {
  const kind = !said ? "" : byRule(said) ? "dim" : colour(said.label);
  const verdicts = said ? relevanceText(said) : word("judging");
  return make("li", { class: "card" }, make("strong", {}, nameIn(one)),
    make("span", { class: "dim" }, named(one.heading || placeOf(one))), make("span", { class: kind || "dim" }, verdicts));
}
