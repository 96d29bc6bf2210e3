"""A loopback server that stands in for Titan Text Embeddings V2 on Bedrock: texts that share words are near."""

import json

from werkzeug.wrappers import Request, Response

from cli.local.loopback import Loopback
from tests.support.fakes import embed

PATH = "/model/amazon.titan-embed-text-v2%3A0/invoke"


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
