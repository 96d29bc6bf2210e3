"""The benchmarks, which no lane runs."""

import importlib
import pkgutil

import bench

# Runs in an environment of its own.
ELSEWHERE = "bench.documents.corpus.write_xlsx"


def test_every_benchmark_can_be_imported() -> None:
    names = [module.name for module in pkgutil.walk_packages(bench.__path__, "bench.")]
    for name in names:
        if name not in ("bench.__main__", ELSEWHERE):
            importlib.import_module(name)
