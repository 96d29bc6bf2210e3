"""A loopback server that stands in for Bedrock: Titan Text Embeddings V2, whose vectors are near for texts that share
words, and a guardrail, which blocks a word.
"""

import json
import re
from typing import Any

from werkzeug.wrappers import Request, Response

from tests.support.fakes import embed
from tests.support.loopback import Loopback

MODEL = "amazon.titan-embed-text-v2:0"
PATH = "/model/amazon.titan-embed-text-v2%3A0/invoke"
# A guardrail, and the word that it lets nobody say.
GUARDRAIL, VERSION, FORBIDDEN = "abc123", "1", "forbidden"
_GUARDRAIL = f"/guardrail/{GUARDRAIL}/version/{VERSION}/apply"
_POLICIES = ("topic", "content", "word", "sensitiveInformation", "contextualGrounding")
_UNITS = {**{f"{policy}PolicyUnits": 1 for policy in _POLICIES}, "sensitiveInformationPolicyFreeUnits": 0}
_SIGNED = re.compile(r"Credential=[^ ]*/bedrock/aws4_request")


class TitanDouble(Loopback):
    """A context manager: inside it, the model answers at `url`; `texts` and `dimensions` are those of each call."""

    def __init__(self) -> None:
        super().__init__(self._respond)
        self.texts: list[str] = []
        self.dimensions: list[int] = []
        # Sources of the guardrail's calls: INPUT or OUTPUT.
        self.sources: list[str] = []
        # The number of coming calls to throttle.
        self.throttles = 0

    def _respond(self, request: Request) -> Response:
        signed = _SIGNED.search(request.headers.get("authorization", ""))
        if request.environ["RAW_URI"] == _GUARDRAIL and signed:
            return self._checked(json.loads(request.get_data()))
        if request.environ["RAW_URI"] != PATH or not signed:
            return Response(json.dumps({"message": "no such model, or not signed"}), 403)
        if self.throttles:
            self.throttles -= 1
            return Response(json.dumps({"message": "slow"}), 429, {"x-amzn-errortype": "ThrottlingException"})
        asked = json.loads(request.get_data())
        self.texts.append(asked["inputText"])
        self.dimensions.append(asked["dimensions"])
        reply = {"embedding": embed(asked["inputText"], asked["dimensions"]), "inputTextTokenCount": 1}
        return Response(json.dumps(reply), content_type="application/json")

    def _checked(self, asked: dict[str, Any]) -> Response:
        self.sources.append(asked["source"])
        blocks = any(FORBIDDEN in block["text"]["text"] for block in asked["content"])
        action = "GUARDRAIL_INTERVENED" if blocks else "NONE"
        return Response(json.dumps({"action": action, "outputs": [], "assessments": [], "usage": _UNITS}))
