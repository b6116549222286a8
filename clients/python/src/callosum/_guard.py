"""A call behind the gate: ask, run, tell how it ended. What both kinds of guards have in common, and the blocking one."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any, Callable, Protocol, TypeVar, Union, cast

from ._errors import CallosumError, Repeated, ServiceError, ServiceUnreachable, refusal
from ._failures import passes, wait_before_retry
from ._request import describe
from ._types import Params, Verdict

F = TypeVar("F", bound=Callable[..., Any])
ParamsOf = Union[Params, Callable[..., Params], None]
"""The parameters, or a function that works them out from the arguments of the guarded one, or None for those arguments themselves."""
SessionOf = Union[str, Callable[[], str], None]
"""The session, or a function that says which one it is now."""
Errors = Union[type[BaseException], tuple[type[BaseException], ...]]

SOONEST_RENEWAL = 1.0
"""Seconds. A lease is never renewed more often, whatever the clocks say."""
FIRST_RESEND = 0.1

log = logging.getLogger("callosum")


class Plan:
    """What a guard was told about its calls."""

    def __init__(self, tool: str, params: ParamsOf, session: SessionOf, who: Mapping[str, str | None], not_done: Errors) -> None:
        self.tool = tool
        self.params = params
        self.session = session
        self.who = who
        self.not_done = not_done

    def call(self, params: Params) -> tuple[dict[str, Any], bool]:
        """The call to ask about, and whether its id was made here."""
        call: dict[str, Any] = {"tool": self.tool, "params": params, **self.who}
        call["session"] = self.session() if callable(self.session) else self.session
        own = call.get("call") is None
        if own:
            call["call"] = str(uuid.uuid4())
        return call, own

    def own_params(self) -> Params:
        """The parameters where there is no function to take them from."""
        if self.params is None or callable(self.params):
            raise TypeError(f"`guard({self.tool!r})` in a `with` has no arguments to take parameters from: give them as `params`")
        return self.params

    def params_of(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Params:
        """The parameters of a call of the guarded function."""
        if callable(self.params):
            return self.params(*args, **kwargs)
        return _arguments(function, args, kwargs) if self.params is None else self.params

    def outcome(self, error: BaseException | None) -> tuple[str, str | None]:
        """How a call ended that came to its end, or to this error: an error may follow the effect, so it proves nothing."""
        if error is None:
            return "complete", None
        text = f"{type(error).__name__}: {describe(error)}"
        return ("failed" if isinstance(error, self.not_done) else "unknown"), text


def never_asked(error: BaseException) -> bool:
    """Whether the service surely knows nothing of a call that was asked about in vain. If not, it may have let a call through that will never run."""
    if isinstance(error, ServiceUnreachable):
        return not error.may_have_arrived
    if isinstance(error, ServiceError):
        # Else the answer is lost, or was not waited for.
        return error.status < 500 or error.code == "busy" or error.text is not None
    return isinstance(error, CallosumError)


def untold(call: str, outcome: str, error: BaseException) -> None:
    """Says that an outcome could not be told."""
    log.warning(
        'the outcome "%s" of the call %s could not be told, and counts as unknown once its lease has ended: %s',
        outcome,
        call,
        error,
    )


class Gate(Protocol):
    """What a blocking guard needs of the client."""

    timeout: float

    def guarded(self, call: Mapping[str, Any], repeatable: bool) -> tuple[Verdict, float | None, str | None]:
        """The verdict, how many seconds the lease lasts, and how the call stands if it was allowed before."""

    def renew(self, name: Mapping[str, Any]) -> float | None:
        """Renews a lease; gives how many seconds it lasts now."""

    def after(self, name: Mapping[str, Any], outcome: str, *, error: str | None = None) -> None:
        """Tells an outcome."""


class Guard:
    """A decorator, and a context manager for one ``with`` at a time."""

    def __init__(self, gate: Gate, plan: Plan) -> None:
        self._gate = gate
        self._plan = plan
        self._lock = threading.Lock()
        self._open: _Running | None = None

    def __call__(self, function: F) -> F:
        """The function behind the gate: each call of it asks first."""
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"`{function.__qualname__}` is async: guard it with `AsyncCallosumClient`")
        if inspect.isgeneratorfunction(function):
            raise TypeError(f"`{function.__qualname__}` is a generator, whose body runs later: use `with client.guard(…)` in it")

        @functools.wraps(function)
        def behind(*args: Any, **kwargs: Any) -> Any:
            with _Running(self._gate, self._plan, self._plan.params_of(function, args, kwargs)):
                return function(*args, **kwargs)

        return cast(F, behind)

    def __enter__(self) -> Verdict:
        running = _Running(self._gate, self._plan, self._plan.own_params())
        with self._lock:
            if self._open is not None:
                raise RuntimeError("this guard is open already: make another one with `client.guard(…)`")
            # From here on, and not only once it may run: of two threads the second would take the place of the first.
            self._open = running
        try:
            return running.__enter__()
        except BaseException:
            self._open = None
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        running, self._open = self._open, None
        if running is not None:
            running.__exit__(kind, error, trace)


class _Running:
    """One call behind the gate."""

    def __init__(self, gate: Gate, plan: Plan, params: Params) -> None:
        self._gate = gate
        self._plan = plan
        self._params = params
        self._name: dict[str, Any] = {}
        self._ended = threading.Event()

    def __enter__(self) -> Verdict:
        call, own = self._plan.call(self._params)
        try:
            verdict, lease, earlier = self._gate.guarded(call, own)
        except BaseException as error:
            # Under an id that somebody chose another program may be running it.
            if own and not never_asked(error):
                self._tell({"call": call["call"], "session": call["session"]}, "refused")
            if isinstance(error, ServiceError) and error.verdict is not None:
                raise refusal(error.verdict) from error
            raise
        # Of an id that was made here it is this very request, which went out again.
        if not own and earlier is not None:
            if earlier == "unknown" and lease is not None and verdict.verdict == "allow":
                # Nobody runs it any more, and it got its lease again.
                self._tell({"call": verdict.call, "session": call["session"]}, "unknown")
            raise Repeated(verdict, earlier)
        if verdict.verdict != "allow":
            raise refusal(verdict)
        self._name = {"call": verdict.call, "session": call["session"]}
        if lease is not None:
            threading.Thread(target=self._keep_lease, args=(lease,), daemon=True).start()
        return verdict

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Tells how the call ended.

        It ran, so an error here must not look like one of the call: whoever repeats the call for it does it twice. An outcome that did not
        arrive is told again for a while, which changes nothing if it did.
        """
        self._ended.set()
        outcome, text = self._plan.outcome(error)
        end = time.monotonic() + self._gate.timeout
        wait = FIRST_RESEND
        while True:
            try:
                return self._gate.after(self._name, outcome, error=text)
            except CallosumError as failure:
                pause = wait_before_retry(failure, wait)
                if not passes(failure) or time.monotonic() + pause >= end:
                    return untold(self._name["call"], outcome, failure)
                time.sleep(pause)
                wait *= 2

    def _tell(self, name: dict[str, Any], outcome: str) -> None:
        """Tells an outcome, and waits for nothing."""

        def tell() -> None:
            try:
                self._gate.after(name, outcome)
            except CallosumError:
                # The lease of a call that was let through after all ends by itself.
                pass

        threading.Thread(target=tell, daemon=True).start()

    def _keep_lease(self, lease: float | None) -> None:
        while lease is not None and not self._ended.wait(max(lease / 2, SOONEST_RENEWAL)):
            half = lease / 2
            try:
                lease = self._gate.renew(self._name)
            except CallosumError as failure:
                # A lease that could not be renewed is tried again in half the time that is left of it.
                lease = half if passes(failure) else None


def _arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Params:
    """The arguments of a call by their names."""
    signature = inspect.signature(function)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            # `def pay(payment, /, **meta)` may be given `payment=` once more.
            again: dict[str, Any] = {}
            for key, one in value.items():
                (again if key in signature.parameters else named)[key] = one
            if again:
                named[name] = again
        else:
            named[name] = value
    return named
