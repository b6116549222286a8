"""Where the service is: a Unix socket, or a host and a port."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from ._errors import CallosumError


@dataclass(frozen=True)
class Address:
    """A service's address, as connections need it."""

    shown: str
    """As people write it."""
    socket_path: str | None = None
    host: str = "localhost"
    port: int = 0
    secure: bool = False
    prefix: str = ""
    """What stands before every path, without a slash at its end: the five endpoints may lie under a gateway's route."""

    @property
    def host_header(self) -> str:
        """What the header ``Host`` says."""
        if self.socket_path is not None:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def default_url() -> str:
    """The socket in the state directory, where ``callosum serve`` listens for its own user."""
    state_dir = os.environ.get("CALLOSUM_STATE_DIR") or os.path.join(os.path.expanduser("~"), ".callosum")
    return f"unix:{os.path.join(os.path.abspath(state_dir), 'serve.sock')}"


def parse_address(url: str) -> Address:
    """Reads ``unix:/path/serve.sock``, ``http://host:port`` or ``https://host:port``."""
    bad = CallosumError(
        f"`{url}` is no address of Callosum's service; write it as `http://127.0.0.1:7411`, `https://HOST:PORT` or "
        "`unix:/PATH/serve.sock`"
    )
    if url.startswith("unix:"):
        path = url[len("unix:") :]
        # Three slashes are as good: the form of a URL.
        path = path[2:] if path.startswith("///") else path
        if not path.startswith("/"):
            raise bad
        return Address(shown=f"unix:{path}", socket_path=path)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise bad from None
    if parts.username is not None or parts.password is not None:
        # A password in an address would end up in every message that names it.
        raise CallosumError("the service's address must have no user and no password in it; give the token as `token`")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise bad
    secure = parts.scheme == "https"
    return Address(
        shown=url.rstrip("/"),
        host=parts.hostname,
        port=port or (443 if secure else 80),
        secure=secure,
        prefix=parts.path.rstrip("/"),
    )
