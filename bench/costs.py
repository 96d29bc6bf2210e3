"""Tables and figures of docs/costs.md, computed from one table of prices and the resources of the Terraform.

`python -m bench costs` prints them; a test compares the page with them, and the counts with the plan.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfrag.domain.calls import PRICES as CLAUDE
from selfrag.domain.calls import ModelCall, cost_usd
from selfrag.runtime.models import DEFAULT_MODELS, FIRST, PROFILES


@dataclass(frozen=True)
class Price:
    """US dollars for a unit in us-east-1, without free tiers; whose list, and of when."""

    usd: float
    unit: str
    source: str
    date: str = "November 2026"


# AWS's pages could not be read from here: these are their prices as public quotes of this date have them.
OCU = Price(0.24, "OCU-hour", "aws.amazon.com/opensearch-service/pricing, quoted for Classic; NextGen's is assumed")
PRICES = {
    "ocu": OCU,
    "alarm": Price(0.10, "metric of an alarm and month", "aws.amazon.com/cloudwatch/pricing"),
    "metric": Price(0.30, "custom metric and month, by the hour", "aws.amazon.com/cloudwatch/pricing"),
    "dashboard": Price(3.00, "dashboard and month", "aws.amazon.com/cloudwatch/pricing"),
    "logs": Price(0.50, "GB of logs", "aws.amazon.com/cloudwatch/pricing"),
    "secret": Price(0.40, "secret and month", "aws.amazon.com/secrets-manager/pricing"),
    "transitions": Price(0.025, "thousand state transitions", "aws.amazon.com/step-functions/pricing"),
    "express": Price(1.00, "million requests of Express", "aws.amazon.com/step-functions/pricing"),
    "express_memory": Price(0.00001667, "GB-second of Express", "aws.amazon.com/step-functions/pricing"),
    "lambda": Price(0.0000133334, "GB-second on arm64", "aws.amazon.com/lambda/pricing"),
    "invocations": Price(0.20, "million requests", "aws.amazon.com/lambda/pricing"),
    "snapshot": Price(0.0000015046, "GB-second of a cached snapshot", "aws.amazon.com/lambda/pricing", "May 2026"),
    "provisioned": Price(0.0000033334, "GB-second provisioned on arm64", "aws.amazon.com/lambda/pricing"),
    "api": Price(3.50, "million requests of a REST API", "aws.amazon.com/api-gateway/pricing"),
    "writes": Price(0.625, "million write units", "aws.amazon.com/dynamodb/pricing"),
    "reads": Price(0.125, "million read units", "aws.amazon.com/dynamodb/pricing"),
    "schedules": Price(1.00, "million invocations of EventBridge Scheduler", "aws.amazon.com/eventbridge/pricing"),
    "titan": Price(0.02, "million tokens of Titan Text Embeddings V2", "aws.amazon.com/bedrock/pricing"),
    "filters": Price(0.15, "thousand text units, content filters", "aws.amazon.com/bedrock/pricing", "May 2026"),
    "topics": Price(0.15, "thousand text units, denied topics", "aws.amazon.com/bedrock/pricing", "May 2026"),
    "personal": Price(0.10, "thousand text units, personal data", "aws.amazon.com/bedrock/pricing", "May 2026"),
    "textract": Price(0.0015, "page", "aws.amazon.com/textract/pricing", "October 2024"),
    "endpoint": Price(0.01, "hour of an interface endpoint in a zone", "aws.amazon.com/privatelink/pricing"),
    "nat": Price(0.045, "hour of a NAT gateway", "aws.amazon.com/vpc/pricing"),
    "key": Price(1.00, "KMS key and month", "aws.amazon.com/kms/pricing"),
    **{
        f"{model} {side}": Price(usd, f"million {side} tokens", "selfrag.domain.calls.PRICES", "7 October 2026")
        for model in ("claude-haiku-5-5", "claude-sonnet-5-5")
        for side, usd in zip(("input", "output"), CLAUDE[model], strict=False)
    },
}
HOURS, MINUTES = 730, 730 * 60
# Counts of a plan, which tests/infra/test_alarms.py compares. The query of cache-failures has a metric per model step.
ALARM_METRICS = {"full": 85, "small": 9}
SECRETS = 1
# The functions of a question and `ask` have so many MB of memory.
WARM_MEMORY = [1769] * 8 + [512] * 4 + [1024]
# Four transitions for each of two queues every 15 minutes, in a month of 30 days.
LOOKS = 30 * 24 * 4 * 2
# The least of a Classic collection in OCUs: half of one for searches and for writing each, and their replicas.
CLASSIC_OCUS = 2
# A NextGen collection wakes with two workers for searches; that each is one OCU is assumed. Weekdays from 7 to 19.
AWAKE_OCUS, OFFICE_HOURS = 2, round(HOURS * 5 * 12 / (7 * 24))
# Fixed monthly costs, by collection and observability.
CHOICES = [(collection, observability) for collection in ("nextgen", "classic") for observability in ("full", "small")]
# A question at its first attempt: seconds of a model's call, of a search and of `ask`; calls that ask a model.
CALL_SECONDS, SEARCH_SECONDS, ASK_SECONDS, ASK_GB, CALLS = 2.0, 0.5, 10.0, 1.0, 8
TRANSITIONS = 32


@dataclass(frozen=True)
class Tokens:
    """A step's calls of a question, and the tokens of each: its rubric, other input and output."""

    calls: int
    rubric: int
    rest: int
    written: int


# Estimated from the README's question; a call that thinks has THOUGHT tokens more of output.
STEPS = {
    "decide_retrieval": Tokens(1, 919, 221, 79),
    "grade_relevance": Tokens(4, 957, 389, 91),
    "generate": Tokens(1, 1800, 1003, 135),
    "grade_support": Tokens(1, 1876, 1117, 96),
    "grade_utility": Tokens(1, 998, 259, 79),
    "rewrite_question": Tokens(0, 972, 0, 0),
}
THOUGHT = 300
DOUBTS = {"no doubt": 0.0, "one answer in ten is doubted": 0.1, "every answer is doubted": 1.0}
# Text units of a guardrail, of 1,000 characters: the question's, and those of the answer, its evidence and verdicts.
TEXT_UNITS = 1 + 5
# Metrics by the step (Latency, Errors), by the step and its model (five), by the question (seven), and by a word: the
# statuses, the strategy, the decisions and the levels. Then those of documents: by the step, ready and failed, the age.
_RUN = len(STEPS) + len(["plan", "retrieve", "compose_answer", "ask"])
QUESTION_METRICS = 2 * _RUN + 5 * (len(STEPS) + 1) + 7 + 4 + 1 + 4 + 4
DOCUMENT_METRICS = 2 * 8 + 2 + 1
Table = list[list[str]]


def _usd(name: str) -> float:
    return PRICES[name].usd


def _sum(rows: Iterable[tuple[str, str, float]]) -> Table:
    """Return rows of names, prices and quantities with their costs, and the total."""
    table, total = [["What", "Price", "Quantity", "USD"]], 0.0
    for what, price, quantity in rows:
        cost = round(_usd(price) * quantity, 2)
        total += cost
        table.append([what, _amount(_usd(price)), f"{quantity:g}", f"{cost:.2f}"])
    return [*table, ["**Total**", "", "", f"**{total:.2f}**"]]


def _amount(usd: float) -> str:
    return f"{usd:.2f}" if usd >= 0.1 and round(usd, 2) == usd else f"{usd:.10f}".rstrip("0")


def idle_month() -> Table:
    """Return the cost of a month without questions."""
    hours = {"nextgen": 0, "classic": CLASSIC_OCUS * HOURS}
    rows = [
        ("OpenSearch Serverless, OCU-hours", "ocu", [hours[collection] for collection, _ in CHOICES]),
        ("CloudWatch alarms, metrics that they look at", "alarm", [ALARM_METRICS[kind] for _, kind in CHOICES]),
        ("CloudWatch dashboard", "dashboard", [int(kind == "full") for _, kind in CHOICES]),
        ("Secrets Manager secrets", "secret", [SECRETS for _ in CHOICES]),
        ("Step Functions, thousand transitions of the queue's schedule", "transitions", [LOOKS * 4 / 1000] * 4),
    ]
    costs = [[round(_usd(price) * quantity, 2) for quantity in quantities] for _, price, quantities in rows]
    names = [f"`{collection}`, `{kind}`" for collection, kind in CHOICES]
    written = zip(rows, costs, strict=True)
    return [
        ["What", "Price", *names],
        *([what, _amount(_usd(price)), *map("{:.2f}".format, cost)] for (what, price, _), cost in written),
        ["**Total**", "", *(f"**{sum(column):.2f}**" for column in zip(*costs, strict=True))],
    ]


def thousand_questions() -> Table:
    """Return what 1,000 questions cost with `balanced`, each answered at the first attempt, with cold rubrics."""
    tokens = {(model, side): 0.0 for model in PROFILES["balanced"].values() for side in ("input", "output")}
    for step, of in STEPS.items():
        model = PROFILES["balanced"][FIRST if step == "grade_support" else step]
        tokens[model, "input"] += of.calls * (of.rubric + of.rest) / 1000
        tokens[model, "output"] += of.calls * of.written / 1000
    names = {"claude-haiku-5-5": "Claude Haiku 5.5", "claude-sonnet-5-5": "Claude Sonnet 5.5"}
    return _sum(
        [
            *(
                (f"{name}, million {side} tokens", f"{model} {side}", round(tokens[model, side], 3))
                for model, name in names.items()
                for side in ("input", "output")
            ),
            ("Titan Text Embeddings V2, million tokens", "titan", 0.015),
            ("Lambda on arm64, GB-seconds", "lambda", round(_gb_seconds(1769))),
            ("Lambda, million requests", "invocations", 0.015),
            ("Step Functions Express, million requests", "express", 0.001),
            ("Step Functions Express, GB-seconds", "express_memory", 313),
            ("API Gateway, million requests", "api", 0.001),
            ("DynamoDB, million write units", "writes", 0.023),
            ("DynamoDB, million read units", "reads", 0.006),
            ("CloudWatch Logs, GB", "logs", 0.106),
        ]
    )


def _gb_seconds(memory: int) -> float:
    """Return the GB-seconds of 1,000 questions, with this memory (MB) for functions that ask models or search."""
    return 1000 * (ASK_SECONDS * ASK_GB + (CALLS * CALL_SECONDS + SEARCH_SECONDS) * memory / 1024)


def _dollars(of: Tokens, model: str, *, warm: bool, thought: int = 0) -> float:
    """Return what 1,000 questions pay for a step."""
    cached = of.rubric if warm else 0
    call = ModelCall(
        step="s", model=model, started_at=0, ended_at=1, stop_reason="end_turn",
        input_tokens=of.rubric - cached + of.rest, cache_read_input_tokens=cached, output_tokens=of.written + thought,
    )  # fmt: skip
    return 1000 * of.calls * (cost_usd(call, {}) or 0)


def _profile(name: str, *, warm: bool, doubted: float = 0.0, thinking: Sequence[str] = ()) -> float:
    models, total = PROFILES[name], 0.0
    for step, of in STEPS.items():
        thought = THOUGHT if step in thinking else 0
        first = models.get(FIRST) if step == "grade_support" else None
        if first:
            total += _dollars(of, first, warm=warm, thought=thought)
        total += _dollars(of, models[step], warm=warm, thought=thought) * (doubted if first else 1)
    return total


def profile_steps() -> Table:
    """Return the tokens of each step, and the letters of its models by profile."""

    def letters(step: str, models: Mapping[str, str]) -> str:
        letter = models[step].split("-")[1][0].upper()
        first = models.get(FIRST) if step == "grade_support" else None
        return f"{first.split('-')[1][0].upper()}, {letter} in doubt" if first else letter

    return [
        ["Step", "Calls", "Rubric", "Other input", "Output", *(f"`{name}`" for name in PROFILES)],
        *(
            [f"`{step}`", *map(str, vars(STEPS[step]).values()), *(letters(step, of) for of in PROFILES.values())]
            for step in DEFAULT_MODELS
        ),
    ]


def profile_prices() -> Table:
    """Return what 1,000 questions cost for models, by profile, with rubrics in the prompt cache and without."""
    rows = [(name, doubt) for name, models in PROFILES.items() for doubt in (DOUBTS if FIRST in models else [""])]
    return [
        ["Profile", "Warm", "Cold"],
        *(
            [f"`{name}`" + f", {doubt}" * bool(doubt)]
            + [f"{_profile(name, warm=warm, doubted=DOUBTS.get(doubt, 0)):.2f}" for warm in (True, False)]
            for name, doubt in rows
        ),
    ]


def thinking_prices() -> Table:
    """Return what 1,000 questions cost with cold rubrics, by which calls think."""
    columns = {"No call thinks": [], "The answer thinks (as requested)": ["generate"], "Every call thinks": [*STEPS]}
    return [
        ["Profile", *columns],
        *(
            [f"`{name}`" + ", no doubt" * (FIRST in models)]
            + [f"{_profile(name, warm=False, thinking=thinking):.2f}" for thinking in columns.values()]
            for name, models in PROFILES.items()
        ),
    ]


def memory_prices() -> Table:
    """Return the Lambda costs of 1,000 questions by the memory of the functions that ask models."""
    used = {memory: _gb_seconds(memory) for memory in (512, 884, 1769)}
    return [
        ["MB of each of the seven functions", "Processors", "GB-seconds", "USD"],
        *(
            [str(memory), f"{memory / 1769:.2f}", f"{seconds:.0f}", f"{seconds * _usd('lambda'):.2f}"]
            for memory, seconds in used.items()
        ),
    ]


def vectors_in_memory() -> Table:
    """Return the capacity that a Classic collection needs for so many vectors of 512 dimensions."""
    table = [["Passages", "Graph in GB", "OCUs that hold it", "with replicas", "OCU-hours a month", "at 0.24"]]
    for passages, ocus in ((10_000, 0.5), (1_000_000, 1), (100_000_000, 80)):
        gigabytes = passages * 1.1 * (4 * 512 + 8 * 16) / 1e9
        assert max(0.5, gigabytes / 3) - 0.5 <= ocus
        hours = 2 * ocus * HOURS
        row = [f"{passages:,}", f"{gigabytes:.2f}", f"{ocus:g}", f"{2 * ocus:g}", f"{hours:.0f}"]
        table.append([*row, f"{hours * OCU.usd:.2f}"])
    return table


def first_load() -> Table:
    """Return the cost of the first load of passages: 2,000 calls of Titan a minute, 25 passages a batch."""
    head = ["Passages", "Hours", "Million tokens", "Titan at 0.02", "Thousand transitions", "Step Functions at 0.025"]
    table = [[*head, "Million write units", "DynamoDB at 0.625"]]
    for passages, digits in ((10_000, 2), (1_000_000, 1), (100_000_000, 0)):
        tokens, writes = passages * 230 / 1e6, passages / 25 * 5 / 1e6
        transitions = (passages / 25 * 7 + passages / 10 * 16) / 1000
        costs = [tokens * _usd("titan"), transitions * _usd("transitions"), writes * _usd("writes")]
        titan, steps, units = (f"{cost:.2f}" for cost in costs)
        hours = f"{passages / 2000 / 60:.{digits}f}"
        table.append([f"{passages:,}", hours, f"{tokens:g}", titan, f"{transitions:g}", steps, f"{writes:g}", units])
    return table


TABLES = [
    idle_month,
    thousand_questions,
    profile_steps,
    profile_prices,
    thinking_prices,
    memory_prices,
    vectors_in_memory,
    first_load,
]


def sentences() -> Iterator[str]:
    """Yield the figures of the page that stand in sentences."""
    seconds, gigabytes, metrics = HOURS * 3600, sum(WARM_MEMORY) / 1024, QUESTION_METRICS + DOCUMENT_METRICS
    warm, memory = (len(WARM_MEMORY) - 1) * MINUTES // 4, (sum(WARM_MEMORY) - 512) / 1024
    yield f"20 OCUs are {20 * HOURS * OCU.usd:,.0f} dollars a month"
    endpoint, nat = HOURS * _usd("endpoint"), HOURS * _usd("nat")
    yield f"about {endpoint:.0f} dollars a month per zone, a NAT gateway about {nat:.0f}"
    yield f"a KMS key {_usd('key'):.0f}"
    yield f"{metrics} x {_usd('metric'):.2f} = {metrics * _usd('metric'):.2f} dollars"
    yield f"{metrics * _usd('metric') / HOURS:.2f} dollars for each hour"
    yield f"{AWAKE_OCUS} OCUs x {OCU.usd} / 6 = {AWAKE_OCUS * OCU.usd / 6:.2f} dollars"
    awake = OFFICE_HOURS * AWAKE_OCUS * OCU.usd
    yield f"{OFFICE_HOURS} h x {AWAKE_OCUS} OCUs x {OCU.usd} are {awake:.2f} dollars a month"
    yield f"{TRANSITIONS * _usd('transitions'):.2f} dollars more"
    yield f"at most {2 * 86400 * _usd('api') / 1e6:.2f} dollars a day each"
    yield (
        f"{TEXT_UNITS} thousand text units: {TEXT_UNITS * _usd('filters'):.2f} dollars for content filters, "
        f"{TEXT_UNITS * _usd('topics'):.2f} for denied topics, {TEXT_UNITS * _usd('personal'):.2f} for personal data"
    )
    for price in ("snapshot", "provisioned"):
        usd = gigabytes * seconds * _usd(price)
        yield f"{gigabytes:.2f} GB x {seconds:,} s x {_usd(price):.10f} are {usd:.2f} dollars a month"
    yield (
        f"{len(WARM_MEMORY) - 1} x {MINUTES // 4:,} = {warm:,} invocations a month, "
        f"{warm * _usd('schedules') / 1e6:.2f} dollars of EventBridge Scheduler, "
        f"{warm * _usd('invocations') / 1e6:.2f} of requests"
    )
    computing = memory * MINUTES / 4 * 0.005 * _usd("lambda")
    yield f"{memory:.1f} GB x {MINUTES // 4:,} x 0.005 s of computing, {computing:.2f}"
    yield f"| `agents` | {15 * 1769 / 1024 * _usd('lambda'):.4f} dollars per question of 15 seconds |"
    yield f"{_usd('textract')} dollars per page (Textract's price of {PRICES['textract'].date})"


def markdown(table: Table) -> str:
    """Return a table as the page has it."""
    head, *rows = ["| " + " | ".join(cells) + " |" for cells in table]
    lines = [head, "|" + " --- |" * len(table[0]), *rows]
    return "\n".join(line.replace("|  |", "| |").replace("|  |", "| |") for line in lines)


def run() -> None:
    """Print the tables, the figures that stand in sentences, and each price with its source."""
    sys.stdout.write("\n\n".join([*(markdown(table()) for table in TABLES), *sentences()]) + "\n\n")
    for price in PRICES.values():
        sys.stdout.write(f"{_amount(price.usd)} per {price.unit}: {price.source}, {price.date}\n")
