"""`python -m bench PART ...`: measure something, and print its figures.

rows, strategies, graders, workflow   the workflow against a simulated Claude; several parts may be named
publish                      copy the figures of these parts to bench/figures
documents                    text and table cells that document readers keep
abstention                   relevance judgements for questions without relevant passages, on NoMIRACL
retrieval                    the search, on questions in SQuAD's format or on lines that differ in an identifier
laptop                       `selfrag ask` and `selfrag serve` on this machine
first-hour                   92 files of Debian's packages: time to the first answer and to the last vector
agents                       `selfrag mcp`: seconds until an agent has its first reply and its tools
sample-vectors               the vectors of the sample handbook that are shipped with the command
animation                    the animation of README, by a simulated model
cold                         the functions of a question that start cold
cascade                      a simulated decision model in front of a simulated Claude, by threshold and accuracy
facts                        the check of numbers by code: false alarms on labelled claims and on translations
labels                       public sets of labelled rows, as files for `selfrag eval graders`
intake                       the intake of many files, simulated: hours, transitions, dollars
costs                        the tables of docs/costs.md, from one table of prices
alarms                       alarms during slowdowns, and their delay: the table of docs/run.md
hostile, growth              files and texts designed to be slow

Each part lists its options with --help.
"""

import importlib
import sys

from bench.workflow import command as workflow

MODULES = {
    "documents": "bench.documents.command",
    "retrieval": "bench.retrieval.command",
    "abstention": "bench.abstention.command",
    "laptop": "bench.laptop.command",
    "first-hour": "bench.laptop.first_hour",
    "agents": "bench.laptop.agents",
    "sample-vectors": "bench.sample_vectors",
    "animation": "bench.animation",
    "cold": "bench.cold",
    "cascade": "bench.cascade",
    "facts": "bench.facts",
    "labels": "bench.labels",
    "hostile": "bench.hostile",
    "growth": "bench.growth",
    "intake": "bench.intake",
    "costs": "bench.costs",
    "alarms": "bench.alarms",
}


def main() -> None:
    """Run the named part, or those of the workflow."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in MODULES:
        sys.argv[:2] = [f"python -m bench {name}"]
        importlib.import_module(MODULES[name]).run()
    elif name in ("-h", "--help"):
        print(__doc__)
    else:
        workflow.run()


if __name__ == "__main__":
    main()
