"""What the service answers. Answers may get more fields; none changes its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

Params = Mapping[str, Any]
"""The parameters of a tool call: a JSON object."""


@dataclass(frozen=True)
class Verdict:
    """What the gate says of a tool call."""

    verdict: str
    """``allow``, ``pause``, ``block`` or ``refuse``."""
    tier: int
    """How risky the call is, 0 to 4."""
    context_keys: tuple[str, ...]
    """The resources that the call acts on."""
    call: str
    """The id by which the call is spoken of from now on."""
    text: str | None = None
    """What the model is to read when the call must not run."""
    evidence: tuple[Mapping[str, Any], ...] = ()
    """The actions on the same resources that a pause or a block is about."""
    expires_at: str | None = None
    """When the lease of a call that was allowed ends (RFC 3339). Each piece of evidence that still runs has its own."""
    reason: str | None = None
    """Of ``refuse`` alone: ``policy``, ``limit``, ``state`` or ``unconfirmed``."""
    rule_name: str | None = None
    """The rule that said so; of a call that is refused by policy, what it breaks."""
    covered: bool | None = None
    """Whether any rule could apply to the tool. Where none could, no other call is held against one of it. None where it is not told."""
    body: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The whole answer, with fields that this client does not know."""


@dataclass(frozen=True)
class Gap:
    """A stretch of the journal that was pruned before it could be told, by its sequence numbers."""

    start: int
    end: int


@dataclass(frozen=True)
class Event:
    """Something that happened, or a gap."""

    cursor: str
    """Where to go on after this event: what ``after`` takes."""
    body: Mapping[str, Any]
    """The whole record: ``seq``, ``id``, ``topic``, ``at``, ``from``, ``data``."""
    topic: str | None = None
    gap: Gap | None = None


class InterceptAnswer(TypedDict, total=False):
    """The answer to ``POST /intercept``."""

    proceed: bool
    tier: int
    contextKey: str
    contextKeys: list[str]
    call: str
    conflicts: list[Any]
    warning: str
    evidence: list[int]
    expiresAt: str


class Done(TypedDict, total=False):
    """The answer to ``POST /complete`` and ``DELETE /lock/:key``."""

    ok: bool
    error: str


class LockAnswer(TypedDict, total=False):
    """The answer to ``POST /lock``."""

    acquired: bool
    conflict: Any
    expiresAt: str


class StatusAnswer(TypedDict, total=False):
    """The answer to ``GET /status``."""

    locks: list[Any]
    recentActions: list[Any]
