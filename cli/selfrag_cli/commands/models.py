"""The `models` command."""

import os
from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Column, Table

from selfrag_cli.options import AsJson
from selfrag_cli.terminal import current_step, make_visible, out, print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selfrag_cli.models.probe import ModelReport


def models(as_json: AsJson = False) -> None:
    """Test the configured models: request a verdict and a cited passage from each.

    Exit code 1 means that a model fails its steps. ANTHROPIC_API_KEY, SELFRAG_MODEL, SELFRAG_MODEL_PROVIDER and
    SELFRAG_DECIDER_URL name the models, as for questions.
    """
    reports = list(_reports())
    if as_json:
        print_json([{**vars(report), "error": _problem(report) or None} for report in reports])
    else:
        _show(reports)
    if any(report.error for report in reports):
        raise typer.Exit(1)


def _show(reports: "list[ModelReport]") -> None:
    table = Table("", *(Column(escape(make_visible(report.model)), overflow="fold") for report in reports))
    for name, cell in _ROWS.items():
        table.add_row(name, *(escape(make_visible(str(cell(report) or "-"), keep="\n")) for report in reports))
    out.print(table)
    for report in reports:
        if report.error:
            out.print(escape(_problem(report)), soft_wrap=True, highlight=False)


def _reports() -> "Iterator[ModelReport]":
    from selfrag.domain.errors import Misconfigured
    from selfrag.runtime.decider_settings import DeciderSettings
    from selfrag.runtime.settings import Settings, read
    from selfrag_cli.models.probe import probe, probe_decider

    config, decider = read(Settings), read(DeciderSettings)
    base_url = os.environ.get("ANTHROPIC_BASE_URL") or config.model_base_url
    config = config.model_copy(update={"model_base_url": base_url})
    key = os.environ.get("SELFRAG_MODEL_KEY" if config.model else "ANTHROPIC_API_KEY", "")
    has_model = key or base_url or config.model or config.model_provider != "anthropic"
    if not (has_model or decider.decider_url):
        raise Misconfigured("No model is named, so a stand-in answers by rule: set ANTHROPIC_API_KEY or SELFRAG_MODEL.")
    with current_step() as on_step:
        for model in sorted(set(config.models.values())) if has_model else ():
            on_step(model)
            steps = {step for step, name in config.models.items() if name == model}
            yield probe(config, model, steps, key or ("" if config.model else "none"))
        if decider.decider_url:
            on_step(decider.decider_model)
            decider_key = os.environ.get("SELFRAG_DECIDER_KEY", "")
            yield probe_decider(
                decider.decider_url, decider_key, decider.decider_model, decider.decider_window_tokens,
                decider.decider_protocol,
            )  # fmt: skip


def _problem(report: "ModelReport") -> str:
    return f"{report.error}. {report.error.hint}" if report.error else ""


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


_ROWS: "dict[str, Callable[[ModelReport], object]]" = {
    "Server": lambda report: report.server,
    "Reachable": lambda report: _yes(report.reachable),
    "Model present": lambda report: _yes(report.present),
    "Verdict by": lambda report: report.verdict,
    "Seconds for it": lambda report: report.seconds is not None and f"{report.seconds:.1f}",
    "Cites": lambda report: report.citations,
    "Gaps": lambda report: "\n".join(report.gaps),
    "Window": lambda report: report.window_tokens and f"{report.window_tokens:,} tokens",
    "Decisions": lambda report: report.decisions and "yes {:.2f}, no {:.2f}".format(*report.decisions),
}
