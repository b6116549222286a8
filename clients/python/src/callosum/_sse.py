"""Server-sent events, as the HTML standard defines their format.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

# A CR at the end may be half of a CRLF.
_END = re.compile(r"\r\n|\n|\r(?!\Z)")


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream."""

    id: str
    """The last id of the stream up to this event: where to resume."""
    event: str
    data: str


class EventStreamParser:
    """Takes the bytes of one connection, in pieces of any size."""

    def __init__(self, last_event_id: str = "") -> None:
        """``last_event_id`` is what the connections before were told."""
        self.last_event_id = last_event_id
        """The last id that was told, by an event with or without data."""
        self.retry: float | None = None
        """How long to wait before the next connection, in seconds, where the server says so."""
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(errors="replace").decode
        self._rest = ""
        self._id = last_event_id
        self._event = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """The events that are complete with these bytes. What a connection breaks off in the middle of is no event."""
        text = self._rest + self._decode(piece)
        start = 0
        lines = []
        for end in _END.finditer(text):
            lines.append(text[start : end.start()])
            start = end.end()
        self._rest = text[start:]
        for line in lines:
            if line:
                self._field(line)
            else:
                event = self._dispatch()
                if event is not None:
                    yield event

    def _field(self, line: str) -> None:
        name, colon, value = line.partition(":")
        if colon and not name:
            return
        if value.startswith(" "):
            value = value[1:]
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch("[0-9]+", value):
            self.retry = int(value) / 1000

    def _dispatch(self) -> ServerSentEvent | None:
        self.last_event_id = self._id
        data, event = self._data, self._event
        self._data, self._event = [], ""
        if not data:
            return None
        return ServerSentEvent(id=self._id, event=event or "message", data="\n".join(data))
