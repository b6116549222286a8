"""Why a call did not run, and why the service could not be asked. Each message names the place and the remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._types import Verdict


class CallosumError(Exception):
    """Any error of this client."""


# Exceptions keep all their arguments in `args`, so that they can be pickled: agents run in pools of processes.


class ServiceUnreachable(CallosumError):
    """Nobody answered: the service is not there, broke off, or took too long."""

    def __init__(self, address: str, problem: str, remedy: str, may_have_arrived: bool) -> None:
        super().__init__(address, problem, remedy, may_have_arrived)
        self.address = address
        """Where the service was looked for."""
        self.problem = problem
        self.remedy = remedy
        self.may_have_arrived = may_have_arrived
        """Whether the request may have arrived all the same, so that the service may have acted on it."""

    def __str__(self) -> str:
        return f"Callosum's service at {self.address} can't be reached: {self.problem}. {self.remedy}"


class ServiceError(CallosumError):
    """The service said no to the request itself: to the token, a field, the rate, or because it can't use its state."""

    def __init__(
        self,
        message: str,
        status: int,
        code: str | None = None,
        retry_after: float | None = None,
        text: str | None = None,
        verdict: Verdict | None = None,
    ) -> None:
        super().__init__(message, status, code, retry_after, text, verdict)
        self.message = message
        self.status = status
        """The HTTP status."""
        self.code = code
        """The code of the service's error document."""
        self.retry_after = retry_after
        """When to ask again, in seconds, where the service says so."""
        self.text = text
        """What the model is to read, where the service could not decide about a call."""
        self.verdict = verdict
        """The verdict on such a call: ``refuse``. ``guard`` raises it as ``Refused``."""

    def __str__(self) -> str:
        return self.message


class Refused(CallosumError):
    """A guarded call that was not run. Its text is what the model is to read."""

    def __init__(self, answer: Verdict) -> None:
        super().__init__(answer)
        self.answer = answer

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What the model is to read."""
        return self.answer.text or f"[Callosum] The call was not run: {self.answer.verdict}."

    @property
    def verdict(self) -> str:
        """``pause``, ``block`` or ``refuse``; of ``Repeated`` mostly ``allow``."""
        return self.answer.verdict

    @property
    def reason(self) -> str | None:
        """Of ``refuse`` alone."""
        return self.answer.reason

    @property
    def tier(self) -> int:
        """How risky the call is, 0 to 4."""
        return self.answer.tier

    @property
    def context_keys(self) -> tuple[str, ...]:
        """The resources that the call acts on."""
        return self.answer.context_keys

    @property
    def call(self) -> str:
        """The id of the call: what ``delivered`` takes."""
        return self.answer.call

    @property
    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        """The actions on the same resources."""
        return self.answer.evidence

    @property
    def expires_at(self) -> str | None:
        """When the last of the others' leases ends (RFC 3339), where there is one."""
        # Times of the service are all in UTC and of one length, so the last of them is the greatest text.
        ends = [piece["expiresAt"] for piece in self.evidence if isinstance(piece.get("expiresAt"), str)]
        return self.answer.expires_at or max(ends, default=None)


class Paused(Refused):
    """Another session acted on the same resource (``pause``), or holds it (``block``).

    Give ``text`` to the model: it decides. After a pause the same session's next try goes through, unless there is news; a block ends
    with the other call.
    """


class Repeated(Refused):
    """A call of the id that was chosen for it was allowed before: ``guard`` does not run it a second time.

    A new try needs an id of its own. Of tiers 0 and 1 the service keeps no such calls.
    """

    def __init__(self, answer: Verdict, earlier: str) -> None:
        super().__init__(answer)
        self.args = (answer, earlier)
        self.earlier = earlier
        """How it stands: ``running`` (or it may be), ``complete``, or ``unknown`` where nobody knows whether it was done."""

    @property
    def text(self) -> str:
        """What the model is to read."""
        known = {"running": "may be running", "complete": "is complete"}
        stands = known.get(self.earlier, "nobody knows whether it was done: verify first")
        return f"[Callosum] This call was allowed before, and {stands}. It was not run again."


def refusal(answer: Verdict) -> Refused:
    """What ``guard`` raises for a verdict other than ``allow``."""
    return Paused(answer) if answer.verdict in ("pause", "block") else Refused(answer)
