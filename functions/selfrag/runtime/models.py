"""The models of the steps in three profiles, from the cheapest to the strictest."""

from pydantic import ValidationInfo

GRADER = "claude-haiku-5-5"
WRITER = "claude-sonnet-5-5"
DEFAULT_MODELS: dict[str, str] = {
    "decide_retrieval": GRADER,
    "grade_relevance": GRADER,
    "generate": WRITER,
    "grade_support": WRITER,
    "grade_utility": GRADER,
    "rewrite_question": GRADER,
}
# The model that judges support before grade_support's own, which then judges only doubtful answers.
FIRST = "grade_support_first"
PROFILES: dict[str, dict[str, str]] = {
    "thrifty": dict.fromkeys(DEFAULT_MODELS, GRADER),
    "balanced": {**DEFAULT_MODELS, FIRST: GRADER},
    "strict": {**DEFAULT_MODELS, "grade_utility": WRITER},
}


def first_of(step: str) -> str:
    """Return the name in `models` of the model that is asked before the step's own."""
    return f"{step}_first"


def profile_models(models: dict[str, str], info: ValidationInfo) -> dict[str, str]:
    """Return the models of the profile, or `model` for each step, with these overrides."""
    steps = (*DEFAULT_MODELS, FIRST)
    unknown = sorted(set(models) - set(steps))
    if unknown:
        raise ValueError(f"no such step: {', '.join(unknown)}; the steps are {', '.join(steps)}")
    model = info.data.get("model")
    profile = dict.fromkeys(steps, model) if model else PROFILES[info.data.get("profile", "balanced")]
    chosen = {**profile, **models}
    if chosen.get(FIRST) == chosen["grade_support"]:
        del chosen[FIRST]  # the same model need not judge twice
    return chosen
