"""Requests and answers as both clients see them: without a connection, so that there is one way to write and to read them."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Generic, TypeVar, cast
from urllib.parse import quote, urlencode

from ._errors import CallosumError, ServiceError
from ._types import Done, Event, Gap, InterceptAnswer, LockAnswer, Params, StatusAnswer, Verdict

T = TypeVar("T")

PROTOCOL = "1"
"""The version of what the service and this client speak."""
MAX_RESULT_BYTES = 65_536
"""A result is sent as it is up to this size,"""
MAX_NESTED = 100
"""and with so many lists and objects in it."""
ERROR_CHARS = 1000
"""Of what an error says, this much is told."""
SHOWN_CHARS = 200
"""Of an answer that can't be read, this much is shown."""


@dataclass(frozen=True)
class Request:
    """A request."""

    method: str
    path: str
    """From the service's root, with its query."""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True
    """Whether the service acts once, however often it gets this very request."""


@dataclass(frozen=True)
class Answer:
    """An answer that is no error."""

    value: Any
    served_at: datetime | None
    """When the service gave it by its own clock, where it says so."""
    earlier: str | None = None
    """How a call stands that was allowed before, where the answer is about one."""


@dataclass(frozen=True)
class Ask(Generic[T]):
    """A request, and what its answer means."""

    request: Request
    read: Callable[[Answer], T]


def get(path: str, query: Mapping[str, str], headers: Mapping[str, str] | None = None) -> Request:
    """A question."""
    text = urlencode(query, quote_via=quote)
    return Request("GET", f"{path}?{text}" if text else path, headers=headers or {})


def post(path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None, repeatable: bool = True) -> Request:
    """A request with a JSON body; fields that are None are left out."""
    return Request("POST", path, encode(body), headers or {}, repeatable)


def encode(body: Mapping[str, Any]) -> bytes:
    """The body as JSON."""
    given = {name: value for name, value in body.items() if value is not None}
    try:
        return json.dumps(given, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise CallosumError(f"the parameters can't be written as JSON: {error}; give plain values") from error


def read(status: int, headers: Message, body: bytes, shown: str) -> Answer:
    """Reads an answer of the service at the address ``shown``."""
    check_protocol(status, headers, shown)
    text = body.decode("utf-8", "replace")
    if not 200 <= status <= 299:
        raise service_error(status, headers, text, shown)
    try:
        value = json.loads(text)
    except ValueError:
        raise ServiceError(
            f"what {shown} answered is no JSON: {_excerpt(text)}. See whether Callosum's service is what listens there", status
        ) from None
    return Answer(value, _date(headers.get("date")), headers.get("x-callosum-earlier"))


def check_protocol(status: int, headers: Message, shown: str) -> None:
    """What another version means by an answer is anybody's guess: not even an ``allow`` is one. Whoever stands in between says no version."""
    spoken = headers.get("x-callosum-protocol")
    if spoken is not None and spoken != PROTOCOL:
        raise ServiceError(
            f"Callosum's service at {shown} speaks protocol {_excerpt(spoken)}, and this client speaks {PROTOCOL}. Update the older of the two",
            status,
            "protocol",
        )


def service_error(status: int, headers: Message, text: str, shown: str) -> ServiceError:
    """The error that an answer tells of."""
    message = code = remedy = path = spoken = refused = None
    try:
        document = json.loads(text)
        error, spoken = document.get("error"), document.get("text")
        refused = _refused(document)
        message, code, remedy, path = (error.get(name) for name in ("message", "code", "remedy", "path"))
    except (ValueError, AttributeError):
        # It is none of the service's error documents.
        pass
    if status == 401:
        message = message or "the token is missing, wrong, expired or revoked"
        remedy = remedy or "`callosum token list` shows the tokens that are good"
    field = f"`{path}`: " if path else ""
    said = f"Callosum's service at {shown} answered {status}: {field}{message or _excerpt(text)}"
    seconds = headers.get("retry-after", "")
    return ServiceError(
        f"{said}. {remedy}" if remedy else said,
        status,
        code if isinstance(code, str) else None,
        float(seconds) if re.fullmatch("[0-9]{1,9}", seconds) else None,
        spoken if isinstance(spoken, str) else None,
        refused,
    )


def _refused(document: Mapping[str, Any]) -> Verdict | None:
    """The verdict on a call that the service could not decide about, which stands beside the error."""
    if document.get("verdict") != "refuse":
        return None
    try:
        return verdict(document)
    except CallosumError:
        return None


def check_token(token: str | None) -> None:
    """The standard library would name the token in its error."""
    if token is not None and re.fullmatch("[!-~]+", token) is None:
        raise CallosumError("the token is empty or holds a blank, a line break or another character that no token has")


def check_open(closed: bool) -> None:
    """Raises for a client that was closed."""
    if closed:
        raise CallosumError("this client is closed: make another one")


# The endpoints.


TEAM_PATHS = {
    "tasks": ("GET", "/v1/tasks"),
    "task": ("GET", "/v1/tasks/{id}"),
    "add": ("POST", "/v1/tasks"),
    "claim": ("POST", "/v1/tasks/claim"),
    **{
        verb: ("POST", f"/v1/tasks/{{id}}/{verb}")
        for verb in ("done", "fail", "handoff", "release", "input", "beat", "cancel", "accept", "reject")
    },
    "send": ("POST", "/v1/messages"),
    "inbox": ("GET", "/v1/messages"),
    "shown": ("POST", "/v1/messages/shown"),
    "publish": ("POST", "/v1/events"),
}
"""Where the service has what is done together."""


def team(verb: str, request: Mapping[str, Any]) -> Ask[Any]:
    """What is done together, by the service's paths for it."""
    if verb not in TEAM_PATHS:
        raise CallosumError(f"`{verb}` is nothing that can be done together: use one of {', '.join(TEAM_PATHS)}")
    method, place = TEAM_PATHS[verb]
    given = {name: value for name, value in request.items() if value is not None}
    if "{id}" in place:
        if not isinstance(given.get("id"), str):
            raise CallosumError(f"`{verb}` needs the `id` of a task")
        place = place.replace("{id}", quote(given.pop("id"), safe=""))
    if method == "POST":
        return Ask(post(place, given, repeatable=False), lambda answer: answer.value)
    return Ask(get(place, {name: str(value) for name, value in given.items()}), lambda answer: answer.value)


def before(call: Mapping[str, Any]) -> Ask[Verdict]:
    """``POST /v1/before``."""
    return Ask(post("/v1/before", call), lambda answer: verdict(answer.value))


def guarded(call: Mapping[str, Any], repeatable: bool) -> Ask[tuple[Verdict, float | None, str | None]]:
    """``POST /v1/before``: the verdict, how many seconds the lease lasts, and how the call stands if it was allowed before."""

    def all_of(answer: Answer) -> tuple[Verdict, float | None, str | None]:
        found = verdict(answer.value)
        return found, _left(found.expires_at, answer.served_at), answer.earlier

    return Ask(post("/v1/before", call, repeatable=repeatable), all_of)


def after(name: Mapping[str, Any], outcome: str, exit_code: int | None, error: str | None) -> Ask[None]:
    """``POST /v1/after``."""
    body = {**name, "outcome": outcome, "exitCode": exit_code, "error": error}
    return Ask(post("/v1/after", body), lambda answer: None)


def delivered(name: Mapping[str, Any]) -> Ask[None]:
    """``POST /v1/delivered``."""
    return Ask(post("/v1/delivered", name), lambda answer: None)


def extend(name: Mapping[str, Any]) -> Ask[str | None]:
    """``POST /v1/extend``: when the lease ends."""
    return Ask(post("/v1/extend", name), lambda answer: _optional(answer.value, "expiresAt"))


def renew(name: Mapping[str, Any]) -> Ask[float | None]:
    """``POST /v1/extend``: how many seconds the lease lasts."""
    return Ask(post("/v1/extend", name), lambda answer: _left(_optional(answer.value, "expiresAt"), answer.served_at))


def question(name: str, parameters: Mapping[str, Any]) -> Ask[Any]:
    """``GET /v1/NAME``."""
    # As one document: an address has only texts.
    query = {"q": encode(parameters).decode("utf-8")} if parameters else {}
    return Ask(get(f"/v1/{quote(name, safe='')}", query), lambda answer: answer.value)


def events(topic: str | None, key: str | None, after: str | None, last_event_id: str) -> Request:
    """``GET /v1/events``, from the last event that was told, else from ``after``."""
    query: dict[str, str] = {}
    if topic is not None:
        query["topic"] = topic
    if key is not None:
        query["key"] = key
    if after and not last_event_id:
        query["after"] = after
    resume = {"last-event-id": last_event_id} if last_event_id else {}
    return get("/v1/events", query, {"accept": "text/event-stream", **resume})


def event(cursor: str, data: str) -> Event:
    """One event of the stream."""
    try:
        body = json.loads(data)
        gap = body.get("gap")
        return Event(cursor, body, body.get("topic"), None if gap is None else Gap(gap["from"], gap["to"]))
    except (ValueError, AttributeError, KeyError, TypeError):
        raise CallosumError(f"the event {cursor} can't be read: {_excerpt(data)}") from None


def intercept(instance: str, tool: str, action: str, params: Params, enforce: bool | None) -> Ask[InterceptAnswer]:
    """``POST /intercept``."""
    body = {"instance": instance, "tool": tool, "action": action, "params": params, "enforce": enforce}
    headers = {"idempotency-key": str(uuid.uuid4())}
    return Ask(post("/intercept", body, headers=headers), lambda answer: cast(InterceptAnswer, answer.value))


def complete(instance: str, context_key: str, result: Any, id: str | None) -> Ask[Done]:
    """``POST /complete``."""
    body = {"instance": instance, "contextKey": context_key, "result": _told(result), "id": id}
    return Ask(post("/complete", body, repeatable=False), lambda answer: cast(Done, answer.value))


def _told(result: Any) -> Any:
    """What came of a call, as far as the service takes it.

    The call is over: whatever it gave, its end has to be told, and whether that is an error, which is all that the service looks for.
    """
    try:
        text = encode({"result": result})
        if len(text) <= MAX_RESULT_BYTES and text.count(b"[") + text.count(b"{") <= MAX_NESTED:
            return {} if result is None else result
    except CallosumError:
        # It is no JSON.
        pass
    try:
        error = result.get("error") if isinstance(result, Mapping) else result if isinstance(result, BaseException) else None
    except Exception as failure:
        error = failure
    return {} if error is None else {"error": describe(error)}


def describe(error: object) -> str:
    """The beginning of what an error says."""
    try:
        # File names that are no UTF-8 are halves of characters, which JSON has no place for.
        return str(error)[:ERROR_CHARS].encode("utf-8", "replace").decode("utf-8")
    except Exception:
        return type(error).__name__


def lock(instance: str, context_key: str, tier: int, session: str | None) -> Ask[LockAnswer]:
    """``POST /lock``."""
    body = {"instance": instance, "contextKey": context_key, "tier": tier, "session": session}
    return Ask(post("/lock", body, repeatable=False), lambda answer: cast(LockAnswer, answer.value))


def unlock(instance: str, context_key: str, session: str | None) -> Ask[Done]:
    """``DELETE /lock/:key``."""
    request = Request("DELETE", f"/lock/{quote(context_key, safe='')}", encode({"instance": instance, "session": session}))
    return Ask(request, lambda answer: cast(Done, answer.value))


def status(context_key: str | None) -> Ask[StatusAnswer]:
    """``GET /status``."""
    query = {} if context_key is None else {"contextKey": context_key}
    return Ask(get("/status", query), lambda answer: cast(StatusAnswer, answer.value))


def verdict(value: Any) -> Verdict:
    """The answer to ``POST /v1/before``."""
    try:
        return Verdict(
            verdict=value["verdict"],
            tier=value["tier"],
            context_keys=tuple(value["contextKeys"]),
            call=value["call"],
            text=value.get("text"),
            evidence=tuple(value.get("evidence") or ()),
            expires_at=value.get("expiresAt"),
            reason=value.get("reason"),
            rule_name=value.get("ruleName"),
            covered=value.get("covered"),
            body=value,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise CallosumError(f"the verdict can't be read ({error!r}): {_excerpt(json.dumps(value))}") from None


def _optional(value: Any, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _left(expires_at: str | None, served_at: datetime | None) -> float | None:
    """How many seconds a lease lasts, by the service's own clock where the answer has it."""
    if expires_at is None:
        return None
    try:
        # Python before 3.11 knows no Z.
        end = datetime.fromisoformat(re.sub("[zZ]$", "+00:00", expires_at))
        return (end - (served_at or datetime.now(timezone.utc))).total_seconds()
    except (ValueError, TypeError):
        return None


def _date(header: str | None) -> datetime | None:
    try:
        return None if header is None else parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None


def _excerpt(text: str) -> str:
    """The beginning of what somebody else answered, on one line."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 2 * SHOWN_CHARS]).split())
    return f'"{line[:SHOWN_CHARS]}"' if line else "an empty answer"
