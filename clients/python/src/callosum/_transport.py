"""Requests to the service with blocking sockets."""

from __future__ import annotations

import contextlib
import http.client
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Callable, TypeVar

from ._address import Address
from ._errors import ServiceUnreachable
from ._failures import IDLE, timed_out, unreachable
from ._request import Ask, Request, check_open, check_protocol, check_token, read, service_error

T = TypeVar("T")
_PIECE = 65536


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._path)
        except BaseException:
            self.sock.close()
            raise


class Transport:
    """Connections to one service. Threads may share it, and so may processes that are forked."""

    def __init__(self, address: Address, token: str | None, timeout: float) -> None:
        check_token(token)
        self._address = address
        self._token = token
        self._timeout = timeout
        self._tls = ssl.create_default_context() if address.secure else None
        self._lock = threading.Lock()
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._process = os.getpid()
        self._streams: set[http.client.HTTPConnection] = set()
        self.closed = threading.Event()
        """Set once the client is closed: nothing is asked any more."""

    def do(self, ask: Ask[T]) -> T:
        """Asks, and reads the answer.

        Where a connection that was kept open turns out to be closed, the request goes out again on a new one; a request that must not
        arrive twice has a new connection from the start.
        """
        kept = self._take() if ask.request.repeatable else None
        if kept is not None:
            try:
                return self._exchange(kept, ask)
            except ServiceUnreachable as error:
                if timed_out(error.__cause__):
                    raise
        return self._exchange(self._new(), ask)

    def stream(self, request: Request, silence: float) -> Iterator[bytes]:
        """Opens a stream of server-sent events; what is given yields its bytes. It breaks when nothing comes for ``silence`` seconds."""
        connection = self._new()
        try:
            response = self._send(connection, request)
            with self._lock:
                self._streams.add(connection)
            check_protocol(response.status, response.headers, self._address.shown)
            kind = response.headers.get("content-type", "")
            if response.status != 200 or not kind.startswith("text/event-stream"):
                body = self._reading(response.read, self._timeout)
                raise service_error(response.status, response.headers, body.decode("utf-8", "replace"), self._address.shown)
            connection.sock.settimeout(silence)
        except BaseException:
            self._forget(connection)
            raise
        return self._pieces(connection, response, silence)

    def close(self) -> None:
        """Closes the connections: those that no request uses, and those of streams."""
        self.closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
            streams = list(self._streams)
        for _, connection in idle:
            connection.close()
        for connection in streams:
            # Another thread waits at it, and closes it once it is woken.
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def _exchange(self, connection: http.client.HTTPConnection, ask: Ask[T]) -> T:
        try:
            response = self._send(connection, ask.request)
            body = self._reading(response.read, self._timeout)
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append((time.monotonic(), connection))
        return ask.read(read(response.status, response.headers, body, self._address.shown))

    def _send(self, connection: http.client.HTTPConnection, request: Request) -> http.client.HTTPResponse:
        connected = connection.sock is not None
        try:
            if not connected:
                connection.connect()
                connected = True
            headers = {"host": self._address.host_header, **request.headers}
            if self._token is not None:
                headers["authorization"] = f"Bearer {self._token}"
            if request.body is not None:
                headers["content-type"] = "application/json"
            connection.request(request.method, self._address.prefix + request.path, request.body, headers)
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(self._address.shown, error, connected=connected, timeout=self._timeout) from error

    def _reading(self, reads: Callable[[], bytes], timeout: float) -> bytes:
        try:
            return reads()
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(self._address.shown, error, connected=True, timeout=timeout) from error

    def _pieces(
        self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, silence: float
    ) -> Iterator[bytes]:
        try:
            while True:
                piece = self._reading(lambda: response.read1(_PIECE), silence)
                if not piece:
                    return
                yield piece
        finally:
            self._forget(connection)

    def _forget(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._streams.discard(connection)
        connection.close()

    def _new(self) -> http.client.HTTPConnection:
        check_open(self.closed.is_set())
        address, timeout = self._address, self._timeout
        if address.socket_path is not None:
            return _SocketConnection(address.socket_path, timeout)
        if self._tls is not None:
            return http.client.HTTPSConnection(address.host, address.port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(address.host, address.port, timeout=timeout)

    def _take(self) -> http.client.HTTPConnection | None:
        """A connection that was kept open, if one is still good."""
        check_open(self.closed.is_set())
        while True:
            with self._lock:
                if self._process != os.getpid():
                    # They are the parent's, whose answers would come here. This closes the child's hold of them alone.
                    for _, parents in self._idle:
                        parents.close()
                    self._idle.clear()
                    self._process = os.getpid()
                if not self._idle:
                    return None
                since, connection = self._idle.pop()
            if time.monotonic() - since < IDLE and not _has_input(connection.sock):
                return connection
            connection.close()


def _has_input(sock: socket.socket) -> bool:
    """Whether the other end said something without having been asked: that it closes."""
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))
