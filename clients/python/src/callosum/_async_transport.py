"""Requests to the service on an event loop.

They are written here, over the loop's own streams, and not handed to threads: a thread for each open stream of events would soon be all
threads that a loop has, and a request that is cancelled must end, not go on in a thread that nobody waits for.
"""

from __future__ import annotations

import asyncio
import http.client
import io
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine
from dataclasses import dataclass
from email.message import Message
from typing import Any, TypeVar

from ._address import Address
from ._errors import ServiceUnreachable
from ._failures import IDLE, timed_out, unreachable
from ._request import Ask, Request, check_open, check_protocol, check_token, read, service_error

T = TypeVar("T")
_PIECE = 65536
_BROKEN = (OSError, EOFError, ValueError, http.client.HTTPException, asyncio.LimitOverrunError)


@dataclass
class _Connection:
    loop: asyncio.AbstractEventLoop
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    since: float = 0.0
    """When it was last used, on the monotonic clock."""

    def is_good(self) -> bool:
        """Whether the other end keeps it open too."""
        return time.monotonic() - self.since < IDLE and not self.reader.at_eof() and not self.writer.is_closing()


@dataclass(frozen=True)
class _Head:
    status: int
    headers: Message

    @property
    def is_chunked(self) -> bool:
        return "chunked" in self.headers.get("transfer-encoding", "").lower()

    @property
    def length(self) -> int | None:
        """How many bytes follow; None where the end of the connection tells."""
        text = self.headers.get("content-length")
        if self.status == 204:
            return 0
        return None if text is None else int(text)

    @property
    def stays_open(self) -> bool:
        closes = "close" in self.headers.get("connection", "").lower()
        return not closes and (self.is_chunked or self.length is not None)


class AsyncTransport:
    """Connections to one service."""

    def __init__(self, address: Address, token: str | None, timeout: float) -> None:
        check_token(token)
        self._address = address
        self._token = token
        self._timeout = timeout
        self._tls = ssl.create_default_context() if address.secure else None
        self._idle: list[_Connection] = []
        self._streams: set[asyncio.StreamWriter] = set()
        self.closed = False
        """Set once the client is closed: nothing is asked any more."""

    async def do(self, ask: Ask[T]) -> T:
        """Asks, and reads the answer.

        Where a connection that was kept open turns out to be closed, the request goes out again on a new one; a request that must not
        arrive twice has a new connection from the start.
        """
        kept = self._take() if ask.request.repeatable else None
        if kept is not None:
            try:
                return await self._exchange(kept, ask)
            except ServiceUnreachable as error:
                if timed_out(error.__cause__):
                    raise
        return await self._exchange(None, ask)

    async def stream(self, request: Request, silence: float) -> AsyncIterator[bytes]:
        """Opens a stream of server-sent events; what is given yields its bytes. It breaks when nothing comes for ``silence`` seconds."""
        deadline = time.monotonic() + self._timeout
        connection = await self._connect(deadline)
        try:
            head = await self._ask(connection, request, deadline)
            self._streams.add(connection.writer)
            check_protocol(head.status, head.headers, self._address.shown)
            kind = head.headers.get("content-type", "")
            if head.status != 200 or not kind.startswith("text/event-stream"):
                text = (await self._body(connection, head, deadline)).decode("utf-8", "replace")
                raise service_error(head.status, head.headers, text, self._address.shown)
        except BaseException:
            self._forget(connection.writer)
            raise
        return self._pieces(connection, head, silence)

    def close(self) -> None:
        """Closes the connections: those that no request uses, and those of streams."""
        self.closed = True
        while self._idle:
            self._drop(self._idle.pop())
        for writer in list(self._streams):
            writer.close()

    async def _exchange(self, connection: _Connection | None, ask: Ask[T]) -> T:
        deadline = time.monotonic() + self._timeout
        connection = connection or await self._connect(deadline)
        try:
            head = await self._ask(connection, ask.request, deadline)
            body = await self._body(connection, head, deadline)
        except BaseException:
            connection.writer.close()
            raise
        if head.stays_open:
            connection.since = time.monotonic()
            self._idle.append(connection)
        else:
            connection.writer.close()
        return ask.read(read(head.status, head.headers, body, self._address.shown))

    async def _connect(self, deadline: float) -> _Connection:
        check_open(self.closed)
        address = self._address
        if address.socket_path is not None:
            opening = asyncio.open_unix_connection(address.socket_path)
        else:
            opening = asyncio.open_connection(address.host, address.port, ssl=self._tls)
        try:
            reader, writer = await _within(opening, deadline)
        except _BROKEN as error:
            raise unreachable(address.shown, error, connected=False, timeout=self._timeout) from error
        return _Connection(asyncio.get_running_loop(), reader, writer)

    async def _ask(self, connection: _Connection, request: Request, deadline: float) -> _Head:
        body = request.body or b""
        headers = {"host": self._address.host_header, "accept-encoding": "identity", **request.headers}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if request.body is not None:
            headers["content-type"] = "application/json"
            headers["content-length"] = str(len(body))
        lines = [f"{request.method} {self._address.prefix}{request.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join(lines) + "\r\n\r\n"

        async def exchange() -> _Head:
            connection.writer.write(head.encode("latin-1") + body)
            await connection.writer.drain()
            answer = await connection.reader.readuntil(b"\r\n\r\n")
            first, _, rest = answer.partition(b"\r\n")
            version, _, status = first.decode("latin-1").partition(" ")
            if not version.startswith("HTTP/1."):
                raise http.client.BadStatusLine(version)
            return _Head(int(status[:3]), http.client.parse_headers(io.BytesIO(rest)))

        return await self._reading(exchange(), deadline)

    async def _body(self, connection: _Connection, head: _Head, deadline: float) -> bytes:
        async def whole() -> bytes:
            pieces = [piece async for piece in _raw_pieces(connection.reader, head)]
            return b"".join(pieces)

        return await self._reading(whole(), deadline)

    async def _pieces(self, connection: _Connection, head: _Head, silence: float) -> AsyncIterator[bytes]:
        pieces = _raw_pieces(connection.reader, head)
        try:
            while True:
                try:
                    piece = await _within(pieces.__anext__(), time.monotonic() + silence)
                except StopAsyncIteration:
                    return
                except _BROKEN as error:
                    raise unreachable(self._address.shown, error, connected=True, timeout=silence) from error
                yield piece
        finally:
            self._forget(connection.writer)

    def _forget(self, writer: asyncio.StreamWriter) -> None:
        self._streams.discard(writer)
        writer.close()

    async def _reading(self, reading: Coroutine[Any, Any, T], deadline: float) -> T:
        try:
            return await _within(reading, deadline)
        except _BROKEN as error:
            raise unreachable(self._address.shown, error, connected=True, timeout=self._timeout) from error

    def _take(self) -> _Connection | None:
        """A connection that was kept open on this loop, if one is still good."""
        loop = asyncio.get_running_loop()
        while self._idle:
            connection = self._idle.pop()
            if connection.loop is loop and connection.is_good():
                return connection
            self._drop(connection)
        return None

    @staticmethod
    def _drop(connection: _Connection) -> None:
        # On a loop that is closed there is nothing left to close it with: its transport ends with the object.
        if not connection.loop.is_closed():
            connection.writer.close()


async def _raw_pieces(reader: asyncio.StreamReader, head: _Head) -> AsyncIterator[bytes]:
    """The bytes of a body, as they come."""
    if head.is_chunked:
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            if size == 0:
                # What trailers there are, up to the empty line.
                while await reader.readuntil(b"\r\n") != b"\r\n":
                    pass
                return
            yield await reader.readexactly(size)
            await reader.readexactly(2)
    left = head.length
    while left is None or left > 0:
        piece = await reader.read(_PIECE if left is None else min(left, _PIECE))
        if not piece:
            if left is None:
                return
            raise EOFError("the answer broke off")
        left = None if left is None else left - len(piece)
        yield piece


async def _within(work: Awaitable[T], deadline: float) -> T:
    try:
        return await asyncio.wait_for(work, max(deadline - time.monotonic(), 0.001))
    except asyncio.TimeoutError:
        # Before Python 3.11 this is an error of its own.
        raise TimeoutError from None
