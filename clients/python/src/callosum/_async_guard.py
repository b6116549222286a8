"""A call behind the gate, on an event loop."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Coroutine, Mapping
from typing import Any, Callable, Protocol, TypeVar, cast

from ._errors import CallosumError, Repeated, ServiceError, refusal
from ._failures import passes, wait_before_retry
from ._guard import FIRST_RESEND, SOONEST_RENEWAL, Plan, never_asked, untold
from ._types import Params, Verdict

F = TypeVar("F", bound=Callable[..., Coroutine[Any, Any, Any]])

_background: set[asyncio.Task[None]] = set()
"""A loop keeps no hold of its tasks."""


class AsyncGate(Protocol):
    """What a guard on an event loop needs of the client."""

    timeout: float

    async def guarded(self, call: Mapping[str, Any], repeatable: bool) -> tuple[Verdict, float | None, str | None]:
        """The verdict, how many seconds the lease lasts, and how the call stands if it was allowed before."""

    async def renew(self, name: Mapping[str, Any]) -> float | None:
        """Renews a lease; gives how many seconds it lasts now."""

    async def after(self, name: Mapping[str, Any], outcome: str, *, error: str | None = None) -> None:
        """Tells an outcome."""


class AsyncGuard:
    """A decorator of coroutine functions, and a context manager for one ``async with`` at a time."""

    def __init__(self, gate: AsyncGate, plan: Plan) -> None:
        self._gate = gate
        self._plan = plan
        self._open: _Running | None = None

    def __call__(self, function: F) -> F:
        """The function behind the gate: each call of it asks first."""
        if not inspect.iscoroutinefunction(function):
            raise TypeError(
                f"`{function.__qualname__}` is no `async def` that returns: guard it with `CallosumClient`, or use `async with`"
            )

        @functools.wraps(function)
        async def behind(*args: Any, **kwargs: Any) -> Any:
            async with _Running(self._gate, self._plan, self._plan.params_of(function, args, kwargs)):
                return await function(*args, **kwargs)

        return cast(F, behind)

    async def __aenter__(self) -> Verdict:
        if self._open is not None:
            raise RuntimeError("this guard is open already: make another one with `client.guard(…)`")
        running = _Running(self._gate, self._plan, self._plan.own_params())
        self._open = running
        try:
            return await running.__aenter__()
        except BaseException:
            self._open = None
            raise

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        running, self._open = self._open, None
        if running is not None:
            await running.__aexit__(kind, error, trace)


class _Running:
    """One call behind the gate."""

    def __init__(self, gate: AsyncGate, plan: Plan, params: Params) -> None:
        self._gate = gate
        self._plan = plan
        self._params = params
        self._name: dict[str, Any] = {}
        self._renewal: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Verdict:
        call, own = self._plan.call(self._params)
        try:
            verdict, lease, earlier = await self._gate.guarded(call, own)
        except BaseException as error:
            # Under an id that somebody chose another program may be running it.
            if own and not never_asked(error):
                _start(self._tell({"call": call["call"], "session": call["session"]}, "refused"))
            if isinstance(error, ServiceError) and error.verdict is not None:
                raise refusal(error.verdict) from error
            raise
        # Of an id that was made here it is this very request, which went out again.
        if not own and earlier is not None:
            if earlier == "unknown" and lease is not None and verdict.verdict == "allow":
                # Nobody runs it any more, and it got its lease again.
                _start(self._tell({"call": verdict.call, "session": call["session"]}, "unknown"))
            raise Repeated(verdict, earlier)
        if verdict.verdict != "allow":
            raise refusal(verdict)
        self._name = {"call": verdict.call, "session": call["session"]}
        if lease is not None:
            self._renewal = _start(self._keep_lease(lease))
        return verdict

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
        # Who is cancelled here waits no longer, but the outcome is told all the same.
        await asyncio.shield(_start(self._report(error)))

    async def _report(self, error: BaseException | None) -> None:
        """Tells how the call ended.

        It ran, so an error here must not look like one of the call: whoever repeats the call for it does it twice. An outcome that did not
        arrive is told again for a while, which changes nothing if it did.
        """
        outcome, text = self._plan.outcome(error)
        end = time.monotonic() + self._gate.timeout
        wait = FIRST_RESEND
        while True:
            try:
                return await self._gate.after(self._name, outcome, error=text)
            except CallosumError as failure:
                pause = wait_before_retry(failure, wait)
                if not passes(failure) or time.monotonic() + pause >= end:
                    return untold(self._name["call"], outcome, failure)
                await asyncio.sleep(pause)
                wait *= 2

    async def _tell(self, name: dict[str, Any], outcome: str) -> None:
        try:
            await self._gate.after(name, outcome)
        except CallosumError:
            # The lease of a call that was let through after all ends by itself.
            pass

    async def _keep_lease(self, lease: float | None) -> None:
        while lease is not None:
            half = lease / 2
            await asyncio.sleep(max(half, SOONEST_RENEWAL))
            try:
                lease = await self._gate.renew(self._name)
            except CallosumError as failure:
                # A lease that could not be renewed is tried again in half the time that is left of it.
                lease = half if passes(failure) else None


def _start(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    task = asyncio.get_running_loop().create_task(work)
    _background.add(task)
    task.add_done_callback(_background.discard)
    return task
