"""A loopback server that stands in for Titan Text Embeddings V2 on Bedrock: texts that share words are near."""

import hashlib
import json
import math
import re

from werkzeug.wrappers import Request, Response

from cli.local.loopback import Loopback

PATH = "/model/amazon.titan-embed-text-v2%3A0/invoke"


def embed(text: str, dimensions: int = 512) -> list[float]:
    """A vector of length 1 that counts words, each at a place that its hash chooses."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [text]:
        vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % dimensions] += 1.0
    length = math.hypot(*vector)
    return [number / length for number in vector]


class TitanDouble(Loopback):
    """A context manager: inside it, the model answers at `url`; `texts` and `dimensions` are those of each call."""

    def __init__(self) -> None:
        super().__init__(self._respond)
        self.texts: list[str] = []
        self.dimensions: list[int] = []

    def _respond(self, request: Request) -> Response:
        asked = json.loads(request.get_data())
        self.texts.append(asked["inputText"])
        self.dimensions.append(asked["dimensions"])
        signed = "/bedrock/aws4_request" in request.headers.get("authorization", "")
        if request.environ["RAW_URI"] != PATH or not signed:
            return Response(json.dumps({"message": "no such model, or not signed"}), 403)
        reply = {"embedding": embed(asked["inputText"], asked["dimensions"]), "inputTextTokenCount": 1}
        return Response(json.dumps(reply), content_type="application/json")
