"""Service Quotas by name: codes differ, and names are what the console shows."""

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Quota:
    """A limit of the account in a region; `adjustable` if the Service Quotas console can raise it."""

    service: str
    region: str
    name: str
    code: str
    value: float
    adjustable: bool

    def raise_to(self, wanted: float) -> str:
        """Return what to do for a higher one."""
        if not self.adjustable:
            return (
                f'Service Quotas cannot raise it: open a case with AWS Support for "{self.name}" ({self.code}) in '
                f"{self.region}, or choose another region."
            )
        return (
            f"Ask for more: aws service-quotas request-service-quota-increase --region {self.region} "
            f"--service-code {self.service} --quota-code {self.code} --desired-value {wanted:.0f}"
        )


class Quotas:
    """The quotas of one service: those of the account, and AWS's defaults for the rest."""

    ACTIONS = ("servicequotas:ListServiceQuotas", "servicequotas:ListAWSDefaultServiceQuotas")

    def __init__(self, client: Any, service: str, region: str) -> None:
        listed: dict[str, Any] = {}
        for operation in ("list_aws_default_service_quotas", "list_service_quotas"):
            for page in client.get_paginator(operation).paginate(ServiceCode=service):
                listed |= {quota["QuotaCode"]: quota for quota in page["Quotas"] if "Value" in quota}
        self._quotas = [
            Quota(service, region, each["QuotaName"], code, each["Value"], each.get("Adjustable", False))
            for code, each in listed.items()
        ]

    def named(self, pattern: str) -> Quota | None:
        """Return the quota whose whole name matches, in any case; None if there is none."""
        return next((each for each in self._quotas if re.fullmatch(pattern, each.name, re.IGNORECASE)), None)
