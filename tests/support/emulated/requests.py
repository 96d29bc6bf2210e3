"""Requests that functions sign: decided by the role whose key signed, and refused as the service refuses."""

from typing import Any

from ministack import app
from ministack.core import iam_actions, iam_evaluator, lambda_runtime, router
from ministack.services import lambda_svc, s3, sts

from tests.support.emulated.account import Account
from tests.support.enforced.callers import ACCOUNT, key_of, role_of, secret_of, session_arn, token_of

# These speak JSON, and refuse with 400; ministack says 403 for every service.
_REFUSE_WITH_400 = {"dynamodb", "secretsmanager", "states"}


def give_each_role_its_keys() -> None:
    """A function calls with the keys of its role."""

    def credentials(config: dict[str, Any]) -> dict[str, str]:
        role = role_of(config["Role"]) or ""
        key, secret, token = key_of(role), secret_of(role), token_of(role)
        session = {"Arn": session_arn(role, config["FunctionName"]), "AccountId": ACCOUNT, "UserId": role}
        sts.register_session(key, {**session, "SecretAccessKey": secret, "SessionToken": token})
        return {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}

    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = credentials


def decide_requests(account: Account) -> None:
    """Decide what a role asks for; ministack finds the action and the resource, and answers a refusal."""
    own, refuse = iam_evaluator.evaluate, iam_actions.access_denied_response

    def evaluate(ctx: Any, policies: Any, *limits: Any) -> Any:
        role = role_of(ctx.principal_arn)
        if role is None:
            return own(ctx, policies, *limits)
        # Other principals are those of a simulation, which is no call.
        decide = account.allows if ctx.principal_type == "AssumedRole" else account.would_allow
        allowed = decide(role, ctx.action, compared(ctx.resource_arn))
        return iam_evaluator.EvalResult("Allow" if allowed else "ImplicitDeny", ctx.principal_arn)

    def access_denied_response(service: str, *arguments: Any, **named: Any) -> Any:
        status, headers, body = refuse(service, *arguments, **named)
        return 400 if service in _REFUSE_WITH_400 else status, headers, body

    iam_evaluator.evaluate = evaluate
    iam_evaluator._resource_policy = lambda service, resource: None
    iam_actions.access_denied_response = access_denied_response


def compared(resource: str) -> str:
    """Return the ARN that IAM compares: Step Functions takes the machine's for its versions and aliases, too."""
    return ":".join(resource.split(":")[:7]) if ":stateMachine:" in resource else resource


def hide_what_is_missing(account: Account) -> None:
    """S3 says that an object is not there only to those who may list the bucket."""
    handle = app.SERVICE_HANDLERS["s3"]

    async def handled(method: str, path: str, headers: dict[str, str], body: bytes, query: Any) -> Any:
        answer = await handle(method, path, headers, body, query)
        bucket, key = s3._parse_bucket_key(path, headers)
        caller = sts._sessions.get(router.extract_access_key_id(headers, query))
        if answer[0] != 404 or method not in ("GET", "HEAD") or not key or caller is None:
            return answer
        if account.allows(role_of(caller["Arn"]) or "", "s3:ListBucket", f"arn:aws:s3:::{bucket}"):
            return answer
        return iam_actions.access_denied_response("s3", "s3:ListBucket", caller["Arn"], "refused")

    app.SERVICE_HANDLERS["s3"] = handled
