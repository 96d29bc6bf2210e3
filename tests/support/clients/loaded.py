"""Loads exported files with the tools' own classes, in the environment that has them, and prints what they hold.

    .venv-tools/bin/python tests/support/clients/loaded.py ragas FILE

It imports nothing of selfrag, which is not installed there.
"""

import json
import sys
from collections.abc import Callable
from typing import Any


def ragas(path: str) -> Any:
    """Return the samples of Ragas's data set."""
    from ragas import EvaluationDataset, SingleTurnSample

    dataset = EvaluationDataset.from_jsonl(path)
    assert dataset.get_sample_type() is SingleTurnSample
    return dataset.to_list()


def deepeval(path: str) -> Any:
    """DeepEval's test cases, as many goldens, and the goldens' metadata."""
    from deepeval.dataset import EvaluationDataset

    dataset = EvaluationDataset()
    fields = {"input": "input", "actual_output": "actual_output", "expected_output": "expected_output"}
    fields |= {"context": "context", "retrieval_context": "retrieval_context"}
    dataset.add_test_cases_from_json_file(path, **{f"{name}_key_name": field for name, field in fields.items()})
    cases = [{name: getattr(case, name) for name in fields} for case in dataset.test_cases]
    goldens = EvaluationDataset()
    goldens.add_goldens_from_json_file(path)
    assert [golden.input for golden in goldens.goldens] == [case["input"] for case in cases]
    return [
        {**case, "metadata": golden.additional_metadata} for case, golden in zip(cases, goldens.goldens, strict=True)
    ]


def langfuse(path: str) -> Any:
    """What an experiment of Langfuse's SDK makes of the items without a server, each a request for its data sets."""
    from langfuse import Evaluation, Langfuse
    from langfuse.api import CreateDatasetItemRequest

    with open(path, encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    requests = [CreateDatasetItemRequest(dataset_name="questions", **item) for item in items]
    assert not any(request.model_extra for request in requests)
    client = Langfuse(public_key="pk", secret_key="sk", base_url="http://127.0.0.1:9", tracing_enabled=False)
    result = client.run_experiment(
        name="an experiment",
        data=items,
        task=lambda *, item, **more: item["metadata"]["answer"],
        evaluators=[
            lambda *, metadata, **more: [
                Evaluation(name=name, value=value) for name, value in metadata["measures"].items()
            ]
        ],
    )
    return [
        {**one.item, "output": one.output, "scores": {score.name: score.value for score in one.evaluations}}
        for one in result.item_results
    ]


LOADERS: dict[str, Callable[[str], Any]] = {"ragas": ragas, "deepeval": deepeval, "langfuse": langfuse}

if __name__ == "__main__":
    print(json.dumps(LOADERS[sys.argv[1]](sys.argv[2])))
