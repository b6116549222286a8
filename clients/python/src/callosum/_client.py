"""The client for programs without an event loop."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from . import _request as ask
from ._address import default_url, parse_address
from ._errors import CallosumError
from ._failures import FIRST_RECONNECT, LAST_RECONNECT, SILENCE, TIMEOUT, passes, wait_before_retry
from ._guard import Errors, Guard, ParamsOf, Plan, SessionOf
from ._sse import EventStreamParser
from ._transport import Transport
from ._types import Done, Event, InterceptAnswer, LockAnswer, Params, StatusAnswer, Verdict

T = TypeVar("T")


class CallosumClient:
    """A client of the service that ``callosum serve`` starts. Threads may share one.

    Methods raise ``ServiceUnreachable`` when nobody answers, and ``ServiceError`` when the service says no to the request. A verdict is an
    answer and never an error, except in ``guard``.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TIMEOUT,
        instance: str | None = None,
    ) -> None:
        """Connects to nothing yet.

        ``url`` is ``unix:/PATH/serve.sock``, ``http://127.0.0.1:7411`` or ``https://HOST:PORT``; without it, the socket in the state directory
        (``CALLOSUM_STATE_DIR``, else ``~/.callosum``). ``token`` is what ``callosum token add`` printed; the socket needs none. ``timeout`` says
        how many seconds the service may be silent. ``instance`` says who acts: those of the five endpoints (``intercept``,
        ``complete``, ``lock``, ``unlock``) need it, and so does a token that speaks for several instances.
        """
        check_timeout(timeout)
        self.timeout = timeout
        self.instance = instance
        self._transport = Transport(parse_address(default_url() if url is None else url), token, timeout)

    def __enter__(self) -> CallosumClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections; streams of events end. The client can't be used any more."""
        self._transport.close()

    def guard(
        self,
        tool: str,
        params: ParamsOf = None,
        *,
        session: SessionOf = None,
        agent: str | None = None,
        call: str | None = None,
        cwd: str | None = None,
        runtime: str | None = None,
        not_done: Errors = (),
    ) -> Guard:
        """Puts a function, or the body of a ``with``, behind the gate: it runs only if the verdict is ``allow``, and how it ended is told.

        Any other verdict raises ``Refused``, mostly as ``Paused``: give its text to the model. Nothing is repeated by itself, and a call whose ``call`` id
        was allowed before, as far back as the journal's window reaches, does not run again (``Repeated``). An error comes out as it is, and leaves the
        outcome unknown, unless it is one of ``not_done``: those prove that nothing was done. While the call runs, its lease is renewed.

        As a decorator it takes the arguments of each call as the parameters, unless ``params`` says otherwise; ``params`` and ``session`` may be
        functions.
        """
        who = {"agent": agent, "call": call, "cwd": cwd, "runtime": runtime, "instance": self.instance}
        return Guard(_Gate(self._transport, self.timeout), Plan(tool, params, session, who, not_done))

    def before(
        self,
        tool: str,
        params: Params,
        *,
        session: str | None = None,
        agent: str | None = None,
        call: str | None = None,
        cwd: str | None = None,
        runtime: str | None = None,
    ) -> Verdict:
        """Asks what the gate says of a call. Who gets ``allow`` makes the call, and tells with ``after`` how it ended.

        ``call`` is the call's id: the same id gets the same verdict. Without one it gets one here.
        """
        asked = {"tool": tool, "params": params, "session": session, "agent": agent, "cwd": cwd, "runtime": runtime}
        return self._transport.do(ask.before({**asked, "call": call or str(uuid.uuid4()), "instance": self.instance}))

    def after(
        self, call: str, outcome: str, *, session: str | None = None, exit_code: int | None = None, error: str | None = None
    ) -> None:
        """Tells how a call ended: ``complete``, ``failed`` (proved not done), ``refused`` (never ran) or ``unknown``. Telling it again changes nothing."""
        self._transport.do(ask.after({"call": call, "session": session}, outcome, exit_code, error))

    def delivered(self, call: str, *, session: str | None = None) -> None:
        """Tells that the model has read why a call was paused, so that its next try is a retry. Without it, that is assumed after half a second."""
        self._transport.do(ask.delivered({"call": call, "session": session}))

    def extend(self, call: str, *, session: str | None = None) -> str | None:
        """Renews the lease of a call that takes long; gives when it ends now (RFC 3339)."""
        return self._transport.do(ask.extend({"call": call, "session": session}))

    def ask(self, question: str, **parameters: Any) -> Any:
        """Asks one of the questions of ``callosum NAME --json``, such as ``journal`` or ``why``, with its parameters."""
        return self._transport.do(ask.question(question, parameters))

    def team(self, verb: str, **request: Any) -> Any:
        """Does something together with other sessions, or looks at it: ``tasks``, ``task``, ``add``, ``claim``, ``done``, ``send``, ``inbox`` …

        ``request`` is what the service takes for it; name the ``session`` that does it. What may be done only once is never sent twice: after
        ``ServiceUnreachable`` look first.
        """
        return self._transport.do(ask.team(verb, {"instance": self.instance, **request}))

    def events(self, topic: str | None = None, *, key: str | None = None, after: str | None = None) -> Iterator[Event]:
        """What happens, as it happens, from ``after`` (the ``cursor`` of an event) or from now on.

        ``topic`` picks events by what happened (``call.*``), ``key`` by the resource (``email:*``: all that begin so).

        A connection that breaks is made anew where it ended, for as long as it takes: no event is lost or told twice, and what was pruned in between
        comes as one event with a ``gap``. It raises if the first connection can't be made, or if the service says no.
        """
        ask.check_open(self._transport.closed.is_set())
        parser = EventStreamParser()
        connected = False
        wait = FIRST_RECONNECT
        while True:
            failure: CallosumError | None = None
            try:
                pieces = self._transport.stream(ask.events(topic, key, after, parser.last_event_id), SILENCE)
                connected = True
                parser = EventStreamParser(parser.last_event_id)
                for piece in pieces:
                    wait = max(parser.retry or 0.0, FIRST_RECONNECT)
                    for found in parser.feed(piece):
                        yield ask.event(found.id, found.data)
            except CallosumError as error:
                if self._transport.closed.is_set():
                    return
                if not connected or not passes(error):
                    raise
                failure = error
            if self._transport.closed.wait(wait_before_retry(failure, wait)):
                return
            wait = min(wait * 2, LAST_RECONNECT)

    def intercept(self, tool: str, action: str, params: Params, *, enforce: bool | None = None) -> InterceptAnswer:
        """``POST /intercept``: whether ``instance`` may go on.

        At tier 3 it may, with a ``warning``; at tier 4 it may not while another instance acts, or has just acted, on the same resource. With
        ``enforce``, tier 3 says no as well.
        """
        return self._transport.do(ask.intercept(who(self.instance, "intercept"), tool, action, params, enforce))

    def complete(self, context_key: str, result: Any = None, *, id: str | None = None) -> Done:
        """``POST /complete``: what ``intercept`` let through has ended: the call ``id``, or the oldest that is open on the key.

        A result with ``error`` counts as unknown.
        """
        return self._transport.do(ask.complete(who(self.instance, "complete"), context_key, result, id))

    def lock(self, context_key: str, tier: int, *, session: str | None = None) -> LockAnswer:
        """``POST /lock``: takes the lease of a resource, for five minutes; for a ``session``, whose own calls then go through."""
        return self._transport.do(ask.lock(who(self.instance, "lock"), context_key, tier, session))

    def unlock(self, context_key: str, *, session: str | None = None) -> Done:
        """``DELETE /lock/:key``: gives back one's own lease; name the ``session`` if ``lock`` did."""
        return self._transport.do(ask.unlock(who(self.instance, "unlock"), context_key, session))

    def status(self, context_key: str | None = None) -> StatusAnswer:
        """``GET /status``: the leases and the recent actions, of one resource or of all."""
        return self._transport.do(ask.status(context_key))


class _Gate:
    """What a guard asks of the service."""

    def __init__(self, transport: Transport, timeout: float) -> None:
        self.timeout = timeout
        self._transport = transport

    def guarded(self, call: Mapping[str, Any], repeatable: bool) -> tuple[Verdict, float | None, str | None]:
        return self._transport.do(ask.guarded(call, repeatable))

    def renew(self, name: Mapping[str, Any]) -> float | None:
        return self._transport.do(ask.renew(name))

    def after(self, name: Mapping[str, Any], outcome: str, *, error: str | None = None) -> None:
        self._transport.do(ask.after(name, outcome, None, error))


def who(instance: str | None, method: str) -> str:
    """The instance that acts, where a method needs one."""
    if instance is None:
        raise CallosumError(f"`{method}` says who acts: give the client its `instance`, a name that no other agent has")
    return instance


def check_timeout(timeout: float) -> None:
    """Raises if this is no time to wait."""
    if not 0 < timeout < float("inf"):
        raise CallosumError(f"`timeout` is {timeout}; give a number of seconds above 0")
