"""An AWS account: clients of its services in the deployment's region."""

import os
import time
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import boto3
from botocore.config import Config

from selfrag.domain.errors import Misconfigured
from selfrag_cli.doctor.choices import Choices
from selfrag_cli.doctor.quotas import Quotas

RETRIES = Config(retries={"total_max_attempts": 3, "mode": "standard"}, connect_timeout=5, read_timeout=30)


class Account:
    """An account by a session of boto3; `deployed` says that infra/'s state describes a deployment."""

    def __init__(
        self, session: Any, choices: Choices, deployed: bool = False, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.choices, self.deployed, self.pause = choices, deployed, pause
        self._session = session
        self.client = cache(self._client)
        self.quotas = cache(self._quotas)

    @cached_property
    def region(self) -> str:
        """Return the region of the deployment; raises Misconfigured when nothing names one."""
        # Terraform's order; boto3 itself does not look at AWS_REGION.
        region = self.choices.region or os.environ.get("AWS_REGION") or self._session.region_name
        if not region:
            raise Misconfigured("No region is chosen.")
        return str(region)

    @cached_property
    def caller(self) -> dict[str, str]:
        """Return the caller's Arn and Account."""
        found: dict[str, str] = self.client("sts").get_caller_identity()
        return found

    @property
    def number(self) -> str:
        """Return the account's number."""
        return self.caller["Account"]

    def arn(self, service: str) -> str:
        """Return the beginning of the ARNs of a service's resources in this account and region."""
        return f"arn:{self.caller['Arn'].split(':')[1]}:{service}:{self.region}:{self.number}"

    def role_arn(self, part: str) -> str:
        """Return the ARN of the role of a function or a machine."""
        return f"{self.arn('iam').replace(f':{self.region}:', '::')}:role/{self.choices.name}-{part}"

    @property
    def credentials(self) -> Any:
        """Return what signs requests in the caller's name; None without any."""
        return self._session.get_credentials()

    @property
    def embedding_region(self) -> str:
        """Return the region whose Bedrock embeds."""
        return self.choices.embedding_region or self.region

    def _client(self, service: str, region: str = "", config: Config | None = None) -> Any:
        retries = RETRIES.merge(config) if config else RETRIES
        return self._session.client(service, region_name=region or self.region, config=retries)

    def _quotas(self, service: str, region: str = "") -> Quotas:
        where = region or self.region
        return Quotas(self.client("service-quotas", where), service, where)


def account_of_credentials(choices: Choices, deployed: bool = False) -> Account:
    """Return the account of the credentials that the environment or a profile gives."""
    return Account(boto3.Session(), choices, deployed)
