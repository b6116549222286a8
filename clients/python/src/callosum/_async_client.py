"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any

from . import _request as ask
from ._address import default_url, parse_address
from ._async_guard import AsyncGuard
from ._async_transport import AsyncTransport
from ._client import check_timeout, who
from ._errors import CallosumError
from ._failures import FIRST_RECONNECT, LAST_RECONNECT, SILENCE, TIMEOUT, passes, wait_before_retry
from ._guard import Errors, ParamsOf, Plan, SessionOf
from ._sse import EventStreamParser
from ._types import Done, Event, InterceptAnswer, LockAnswer, Params, StatusAnswer, Verdict


class AsyncCallosumClient:
    """``CallosumClient`` for an event loop: the same methods, to be awaited. Each says more there."""

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TIMEOUT,
        instance: str | None = None,
    ) -> None:
        """Connects to nothing yet. ``timeout`` says how many seconds an answer may take; the rest is as in ``CallosumClient``."""
        check_timeout(timeout)
        self.timeout = timeout
        self.instance = instance
        self._transport = AsyncTransport(parse_address(default_url() if url is None else url), token, timeout)

    async def __aenter__(self) -> AsyncCallosumClient:
        return self

    async def __aexit__(self, *_: object) -> None:
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
    ) -> AsyncGuard:
        """Puts a coroutine function, or the body of an ``async with``, behind the gate. A call that is cancelled has an unknown outcome."""
        who = {"agent": agent, "call": call, "cwd": cwd, "runtime": runtime, "instance": self.instance}
        return AsyncGuard(_AsyncGate(self._transport, self.timeout), Plan(tool, params, session, who, not_done))

    async def before(
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
        """Asks what the gate says of a call."""
        asked = {"tool": tool, "params": params, "session": session, "agent": agent, "cwd": cwd, "runtime": runtime}
        return await self._transport.do(ask.before({**asked, "call": call or str(uuid.uuid4()), "instance": self.instance}))

    async def after(
        self, call: str, outcome: str, *, session: str | None = None, exit_code: int | None = None, error: str | None = None
    ) -> None:
        """Tells how a call ended."""
        await self._transport.do(ask.after({"call": call, "session": session}, outcome, exit_code, error))

    async def delivered(self, call: str, *, session: str | None = None) -> None:
        """Tells that the model has read why a call was paused."""
        await self._transport.do(ask.delivered({"call": call, "session": session}))

    async def extend(self, call: str, *, session: str | None = None) -> str | None:
        """Renews the lease of a call that takes long; gives when it ends now (RFC 3339)."""
        return await self._transport.do(ask.extend({"call": call, "session": session}))

    async def ask(self, question: str, **parameters: Any) -> Any:
        """Asks one of the questions of ``callosum NAME --json``."""
        return await self._transport.do(ask.question(question, parameters))

    async def team(self, verb: str, **request: Any) -> Any:
        """Does something together with other sessions, or looks at it: ``tasks``, ``task``, ``add``, ``claim``, ``done``, ``send``, ``inbox`` …

        ``request`` is what the service takes for it; name the ``session`` that does it. What may be done only once is never sent twice: after
        ``ServiceUnreachable`` look first.
        """
        return await self._transport.do(ask.team(verb, {"instance": self.instance, **request}))

    async def events(
        self, topic: str | None = None, *, key: str | None = None, after: str | None = None
    ) -> AsyncIterator[Event]:
        """What happens, as it happens, with connections made anew as they break."""
        ask.check_open(self._transport.closed)
        parser = EventStreamParser()
        connected = False
        wait = FIRST_RECONNECT
        while True:
            failure: CallosumError | None = None
            try:
                pieces = await self._transport.stream(ask.events(topic, key, after, parser.last_event_id), SILENCE)
                connected = True
                parser = EventStreamParser(parser.last_event_id)
                async for piece in pieces:
                    wait = max(parser.retry or 0.0, FIRST_RECONNECT)
                    for found in parser.feed(piece):
                        yield ask.event(found.id, found.data)
            except CallosumError as error:
                if self._transport.closed:
                    return
                if not connected or not passes(error):
                    raise
                failure = error
            await asyncio.sleep(wait_before_retry(failure, wait))
            wait = min(wait * 2, LAST_RECONNECT)

    async def intercept(self, tool: str, action: str, params: Params, *, enforce: bool | None = None) -> InterceptAnswer:
        """``POST /intercept``: whether ``instance`` may go on."""
        return await self._transport.do(ask.intercept(who(self.instance, "intercept"), tool, action, params, enforce))

    async def complete(self, context_key: str, result: Any = None, *, id: str | None = None) -> Done:
        """``POST /complete``: what ``intercept`` let through has ended."""
        return await self._transport.do(ask.complete(who(self.instance, "complete"), context_key, result, id))

    async def lock(self, context_key: str, tier: int, *, session: str | None = None) -> LockAnswer:
        """``POST /lock``: takes the lease of a resource, for five minutes; for a ``session``, whose own calls then go through."""
        return await self._transport.do(ask.lock(who(self.instance, "lock"), context_key, tier, session))

    async def unlock(self, context_key: str, *, session: str | None = None) -> Done:
        """``DELETE /lock/:key``: gives back one's own lease; name the ``session`` if ``lock`` did."""
        return await self._transport.do(ask.unlock(who(self.instance, "unlock"), context_key, session))

    async def status(self, context_key: str | None = None) -> StatusAnswer:
        """``GET /status``: the leases and the recent actions, of one resource or of all."""
        return await self._transport.do(ask.status(context_key))


class _AsyncGate:
    """What a guard asks of the service."""

    def __init__(self, transport: AsyncTransport, timeout: float) -> None:
        self.timeout = timeout
        self._transport = transport

    async def guarded(self, call: Mapping[str, Any], repeatable: bool) -> tuple[Verdict, float | None, str | None]:
        return await self._transport.do(ask.guarded(call, repeatable))

    async def renew(self, name: Mapping[str, Any]) -> float | None:
        return await self._transport.do(ask.renew(name))

    async def after(self, name: Mapping[str, Any], outcome: str, *, error: str | None = None) -> None:
        await self._transport.do(ask.after(name, outcome, None, error))
