"""A port of this machine: taken for a server, or looked at before anything that takes seconds is begun."""

import socket

from selfrag.domain.errors import Misconfigured

HOST = "127.0.0.1"
_QUEUE = 128


def listening(port: int) -> socket.socket:
    """Return a socket that listens on a port, 0 for any free one; raises Misconfigured if it is taken."""
    bound = socket.socket()
    try:
        # A connection that has just ended does not keep the port.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.listen(_QUEUE)
    except OSError as error:
        bound.close()
        another = f"choose another one, such as --port {port + 1}, or --port 0 for a free one"
        raise Misconfigured(f"Port {port} cannot be used: {error.strerror}; {another}.") from error
    return bound


def refuse_busy(port: int) -> None:
    """Raise Misconfigured if a server could not listen on a port."""
    listening(port).close()
