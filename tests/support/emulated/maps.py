"""Corrections of Distributed Maps; the apply test asserts each of them."""

import json
from typing import Any

from ministack.services import s3, stepfunctions


def run_distributed_maps() -> None:
    """A Distributed Map's fields are not read as JSONata, and what its items gave is neither written nor given on."""
    fill, run = stepfunctions._resolve_params_obj, stepfunctions._run_distributed_map

    def filled(value: Any, given: Any, context: Any = None) -> Any:
        if (context or {}).get("QueryLanguage") == "JSONata":
            return stepfunctions._apply_jsonata_template(value, given, context)
        return fill(value, given, context)

    def run_map(state: dict[str, Any], given: Any, effective: Any, items: Any, execution: Any, context: Any) -> Any:
        at_once = stepfunctions._jsonata_state_field(state, "MaxConcurrency", "number", given, context)
        where = filled(state["ResultWriter"]["Arguments"], given, context) if "ResultWriter" in state else None
        result, following = run({**state, "MaxConcurrency": at_once}, given, effective, items, execution, context)
        if where:
            runs = stepfunctions._map_runs.items()
            result = written(
                where, next(arn for arn, each in runs if each["executionArn"] == execution["executionArn"])
            )
        return stepfunctions._apply_jsonata_output(state, given, context, result=result, default=result), following

    def put(bucket: str, key: str, content: Any) -> None:
        s3._put_object(bucket, key, json.dumps(content).encode(), {})

    def written(where: dict[str, str], arn: str) -> dict[str, Any]:
        prefix = f"{where['Prefix']}/{arn.split(':')[-1]}"
        children = [each for each in stepfunctions._executions.values() if each.get("mapRunArn") == arn]
        files: dict[str, list[dict[str, Any]]] = {"FAILED": [], "PENDING": [], "SUCCEEDED": []}
        for status in ("FAILED", "SUCCEEDED"):
            ended = [
                {"Status": status, "Input": each["input"], "Error": each.get("error"), "Cause": each.get("cause")}
                for each in children
                if each["status"] == status
            ]
            if ended:
                files[status].append({"Key": f"{prefix}/{status}_0.json"})
                put(where["Bucket"], f"{prefix}/{status}_0.json", ended)
        manifest = {"DestinationBucket": where["Bucket"], "MapRunArn": arn, "ResultFiles": files}
        put(where["Bucket"], f"{prefix}/manifest.json", manifest)
        details = {"Bucket": where["Bucket"], "Key": f"{prefix}/manifest.json"}
        return {"MapRunArn": arn, "ResultWriterDetails": details}

    stepfunctions._resolve_params_obj = filled
    stepfunctions._run_distributed_map = run_map
