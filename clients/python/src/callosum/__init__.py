"""Callosum's gate for agents that are programs of their own: a client of the service that ``callosum serve`` starts."""

from ._async_client import AsyncCallosumClient
from ._async_guard import AsyncGuard
from ._client import CallosumClient
from ._errors import CallosumError, Paused, Refused, Repeated, ServiceError, ServiceUnreachable
from ._guard import Guard
from ._types import Done, Event, Gap, InterceptAnswer, LockAnswer, StatusAnswer, Verdict

__all__ = [
    "AsyncCallosumClient",
    "AsyncGuard",
    "CallosumClient",
    "CallosumError",
    "Done",
    "Event",
    "Gap",
    "Guard",
    "InterceptAnswer",
    "LockAnswer",
    "Paused",
    "Refused",
    "Repeated",
    "ServiceError",
    "ServiceUnreachable",
    "StatusAnswer",
    "Verdict",
]
