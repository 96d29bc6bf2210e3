"""The metrics that the functions emit, each with the names of its dimensions."""

STEP, STEP_AND_MODEL = frozenset({"step"}), frozenset({"step", "model"})

EMITTED: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ["Latency", "Errors", "VerdictCacheFailures", "FullTextSearches", "ThrottledSteps", "UnversionedAsks"], STEP
    ),
    **dict.fromkeys(["ModelCalls", "InputTokens", "OutputTokens", "CacheReadInputTokens", "CostUsd"], STEP_AND_MODEL),
    **dict.fromkeys(
        ["RelevantPassages", "CachedVerdicts", "RepairedCitations", "Utility", "Rounds", "UnkeptAnswers"], STEP
    ),
    **dict.fromkeys(["QuestionCostUsd", "RetrievedQuestions"], STEP),
    "Questions": frozenset({"status"}),
    "Strategies": frozenset({"strategy"}),
    "Documents": frozenset({"status"}),
    "RefusedFeatures": frozenset({"feature"}),
    "RetrievalDecisions": frozenset({"decision"}),
    "SupportLevels": frozenset({"level"}),
}
# The intake's machine reports one itself.
REPORTED = {**EMITTED, "OldestUploadSeconds": frozenset({"queue"})}
