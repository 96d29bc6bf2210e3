"""An AWS account: service clients in the deployment's region."""

import os
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.faults import code_of
from selfrag.domain.errors import Misconfigured
from selfrag_cli.deployment.terraform import Choices
from selfrag_cli.doctor.findings import Finding, blocks, fine

RETRIES = Config(retries={"total_max_attempts": 3, "mode": "standard"}, connect_timeout=5, read_timeout=30)


class Account:
    """An account by its boto3 session; `deployed` if the state of the folder `infra` has a deployment."""

    def __init__(self, session: Any, choices: Choices, deployed: bool = False, infra: Path = Path("infra")) -> None:
        self.choices, self.deployed, self.infra = choices, deployed, infra
        self.session = session
        self.client = cache(self._client)

    @cached_property
    def region(self) -> str:
        """Return the deployment's region; raises Misconfigured without one."""
        # Terraform's order; boto3 ignores AWS_REGION.
        region = self.choices.region or os.environ.get("AWS_REGION") or self.session.region_name
        if not region:
            raise Misconfigured("No region is chosen.")
        return str(region)

    @cached_property
    def caller(self) -> dict[str, str]:
        """Return the caller's Arn and Account."""
        identity: dict[str, str] = self.client("sts").get_caller_identity()
        return identity

    @property
    def partition(self) -> str:
        """Return the partition of AWS, such as aws-us-gov."""
        return self.caller["Arn"].split(":")[1]

    @property
    def number(self) -> str:
        """Return the account's number."""
        return self.caller["Account"]

    @property
    def embedding_region(self) -> str:
        """Return the Bedrock region for embeddings."""
        return self.choices.embedding_region or self.region

    def _client(self, service: str, region: str = "", config: Config | None = None) -> Any:
        retries = RETRIES.merge(config) if config else RETRIES
        return self.session.client(service, region_name=region or self.region, config=retries)


def account_of_credentials(choices: Choices, deployed: bool, infra: Path) -> Account:
    """Return the account of the environment's or profile's credentials."""
    return Account(boto3.Session(), choices, deployed, infra)


def identity(account: Account) -> Iterator[Finding]:
    """Check credentials and region, the prerequisites of all checks."""
    try:
        region, caller = account.region, account.caller
    except Misconfigured:
        yield blocks("No region is chosen.", "Set `region` in infra/terraform.tfvars, or AWS_REGION, and run it again.")
    except ClientError as error:
        yield blocks(
            f"AWS does not take these credentials ({code_of(error)}).", "Log in again, or set AWS_PROFILE to others."
        )
    except BotoCoreError as error:
        yield blocks(
            f"There are no credentials of an AWS account that can be used ({type(error).__name__}).",
            "Run `aws configure` or `aws sso login`, or set AWS_PROFILE, until `aws sts get-caller-identity` succeeds.",
        )
    else:
        yield fine(f"You are {caller['Arn']}, in {region}.")
