"""Whether a port of this machine is free, asked before anything that takes seconds is begun."""

import socket

from selfrag.domain.errors import Misconfigured


def refuse_busy(port: int) -> None:
    """Raise Misconfigured if nothing may listen on a port of 127.0.0.1; 0, which is any free one, always passes."""
    with socket.socket() as probe:
        # As the server does: a connection that has just ended does not keep the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Misconfigured(f"Port {port} cannot be used: {error.strerror}.") from error
