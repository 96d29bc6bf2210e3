"""A loopback server that stands in for Titan Text Embeddings V2 on Bedrock: texts that share words are near."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.support.fakes import embed

PATH = "/model/amazon.titan-embed-text-v2%3A0/invoke"


class TitanDouble:
    """A context manager: inside it, the model answers at `url`; `texts` and `dimensions` are those of each call."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.dimensions: list[int] = []
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                known = self.path == PATH and "/bedrock/aws4_request" in self.headers.get("authorization", "")
                double.texts.append(asked["inputText"])
                double.dimensions.append(asked["dimensions"])
                reply = {"embedding": embed(asked["inputText"], asked["dimensions"]), "inputTextTokenCount": 1}
                body = json.dumps(reply if known else {"message": "no such model, or not signed"}).encode()
                self.send_response(200 if known else 403)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()
