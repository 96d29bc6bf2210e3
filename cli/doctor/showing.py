"""What the doctor prints: a line for each finding, what to do below it, and the end of it."""

from rich.console import Console
from rich.markup import escape

from cli.doctor.examination import Diagnosis
from cli.doctor.findings import Finding, Level

_STYLES = {Level.FINE: "green", Level.LOOK: "yellow", Level.UNKNOWN: "magenta", Level.BLOCKS: "red"}
_WIDTH = max(map(len, Level))


def show_finding(out: Console, name: str, finding: Finding) -> None:
    """One finding, whole however long it is: a command in it can be copied."""
    label = f"[{_STYLES[finding.level]}]{finding.level:<{_WIDTH}}[/]"
    out.print(f"{label}  {name}: {escape(finding.says)}", soft_wrap=True, highlight=False)
    if finding.do:
        out.print(f"{'':{_WIDTH}}  → {escape(finding.do)}", soft_wrap=True, highlight=False)


def show_end(out: Console, diagnosis: Diagnosis) -> None:
    """The first limit to break, and whether anything blocks."""
    if diagnosis.first_limit:
        name, finding = diagnosis.first_limit
        says = f"The first limit to break: {name}, at {finding.rate:.1f} questions a second."
        out.print(f"\n{says}", soft_wrap=True, highlight=False)
    many = diagnosis.blocking
    end = "Nothing blocks." if many == 0 else f"{many} {'finding blocks' if many == 1 else 'findings block'}."
    out.print(end, highlight=False)
