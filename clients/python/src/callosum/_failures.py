"""What went wrong with a connection, in words."""

from __future__ import annotations

import socket
import ssl

from ._errors import ServiceError, ServiceUnreachable

TIMEOUT = 20.0
"""Seconds. Longer than the 15 s that the service gives a request, so that its own answer comes first."""
SILENCE = 60.0
"""Seconds. A stream that says nothing for as long is taken for dead."""
IDLE = 30.0
"""Seconds. How long a connection without a request is kept."""
FIRST_RECONNECT = 0.25
LAST_RECONNECT = 5.0

_START_IT = "Have a person start it with `callosum serve`, or name another address"
_TRUST_IT = "Name the authority that signed it in `SSL_CERT_FILE`"


def unreachable(shown: str, error: BaseException, *, connected: bool, timeout: float) -> ServiceUnreachable:
    """Why nobody answered at the address ``shown``; ``connected`` says whether a request may have gone out."""
    if timed_out(error):
        problem = f"it gave no answer within {timeout:g} s"
        return ServiceUnreachable(shown, problem, "See what it is busy with, or raise `timeout`", connected)
    if isinstance(error, ssl.SSLCertVerificationError):
        return ServiceUnreachable(shown, f"its certificate is not trusted ({error.verify_message})", _TRUST_IT, False)
    if connected:
        problem = str(error) or "the connection broke off"
        return ServiceUnreachable(shown, problem, "See the service's log, and ask again", True)
    return ServiceUnreachable(shown, _why(error), _START_IT, False)


def timed_out(error: BaseException | None) -> bool:
    """Whether the other end took too long. Before Python 3.10 a socket has an error of its own for that."""
    return isinstance(error, (TimeoutError, socket.timeout))


def _why(error: BaseException) -> str:
    """Why no connection came about."""
    if isinstance(error, FileNotFoundError):
        return "there is no such socket"
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there"
    if isinstance(error, PermissionError):
        return "this user may not open the socket"
    if isinstance(error, socket.gaierror):
        return f"the host's name can't be looked up ({error.strerror})"
    return str(error) or type(error).__name__


def passes(error: BaseException) -> bool:
    """Whether the same request may succeed in a moment."""
    return isinstance(error, ServiceUnreachable) or (isinstance(error, ServiceError) and error.status in (429, 502, 503, 504))


def wait_before_retry(error: BaseException | None, otherwise: float) -> float:
    """How many seconds to wait, where the service may have said it."""
    asked = error.retry_after if isinstance(error, ServiceError) else None
    return max(asked or 0.0, otherwise)
