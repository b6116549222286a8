"""Drives the Python client for the tests: commands come as lines of JSON, and answers go out as such.

`driver.py blocking|async`. The command `open` makes a client, which later commands name by the number of that command.
"""

import asyncio
import json
import queue
import sys
import threading
from typing import Any

from callosum import AsyncCallosumClient, CallosumClient, Refused, ServiceError, ServiceUnreachable, Verdict


class NotDone(Exception):
    """Proves that nothing was done."""


WRITING = threading.Lock()
SPELLED = {"notDone": "not_done", "contextKey": "context_key", "exitCode": "exit_code"}


def say(message: Any) -> None:
    with WRITING:
        print(json.dumps(message), flush=True)


def spelled(given: dict) -> dict:
    return {SPELLED.get(name, name): value for name, value in given.items()}


def told(value: Any) -> Any:
    return value.body if isinstance(value, Verdict) else value


def failure(error: BaseException) -> dict:
    found: dict = {"kind": type(error).__name__, "message": str(error)}
    if isinstance(error, Refused):
        found.update(text=error.text, verdict=error.verdict, reason=error.reason, tier=error.tier, call=error.call)
        found.update(contextKeys=list(error.context_keys), evidence=list(error.evidence), expiresAt=error.expires_at)
    if isinstance(error, ServiceError):
        found.update(status=error.status, code=error.code)
        found.update(retryAfterMs=None if error.retry_after is None else error.retry_after * 1000)
    if isinstance(error, ServiceUnreachable):
        found.update(address=error.address, mayHaveArrived=error.may_have_arrived)
    return {"error": found}


def ended(how: dict) -> Any:
    if "raises" in how:
        raise (NotDone if how.get("proved") else ValueError)(how["raises"])
    return how.get("returns")


def event_of(event: Any) -> dict:
    gap = None if event.gap is None else {"from": event.gap.start, "to": event.gap.end}
    return {**event.body, "cursor": event.cursor, **({} if gap is None else {"gap": gap})}


class Blocking:
    """Each command has a thread of its own."""

    def __init__(self) -> None:
        self.clients: dict = {}
        self.finishes: dict = {}

    def run(self) -> None:
        for line in sys.stdin:
            command = json.loads(line)
            if command["do"] == "finish":
                self.finishes[command["id"]].put(command["how"])
                continue
            self.finishes[command["id"]] = queue.Queue()
            threading.Thread(target=self.obey, args=(command,), daemon=True).start()

    def obey(self, command: dict) -> None:
        number, do, args = command["id"], command["do"], command.get("args", [])
        options = spelled(command.get("options", {}))
        try:
            if do == "open":
                self.clients[number] = CallosumClient(**options)
                say({"id": number, "value": None})
                return
            client = self.clients[command["client"]]
            if do == "events":
                for event in client.events(**options):
                    say({"id": number, "event": event_of(event)})
                say({"id": number, "value": "the stream ended"})
            elif do == "guard":
                say({"id": number, "value": self.guard(client, number, command["form"], *args, **options)})
            else:
                say({"id": number, "value": told(getattr(client, do)(*args, **options))})
        except Exception as error:
            say({"id": number, **failure(error)})

    def guard(self, client: CallosumClient, number: int, form: str, tool: str, params: dict, **options: Any) -> Any:
        def body() -> Any:
            say({"id": number, "started": True})
            return ended(self.finishes[number].get())

        if form == "decorator":
            return client.guard(tool, params, not_done=NotDone, **options)(body)()
        with client.guard(tool, params, not_done=NotDone, **options):
            return body()


class OnLoop:
    """Each command has a task of its own."""

    def __init__(self) -> None:
        self.clients: dict = {}
        self.finishes: dict = {}

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        tasks = set()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            command = json.loads(line)
            if command["do"] == "finish":
                self.finishes[command["id"]].put_nowait(command["how"])
                continue
            self.finishes[command["id"]] = asyncio.Queue()
            tasks.add(asyncio.ensure_future(self.obey(command)))

    async def obey(self, command: dict) -> None:
        number, do, args = command["id"], command["do"], command.get("args", [])
        options = spelled(command.get("options", {}))
        try:
            if do == "open":
                self.clients[number] = AsyncCallosumClient(**options)
                say({"id": number, "value": None})
                return
            client = self.clients[command["client"]]
            if do == "events":
                async for event in client.events(**options):
                    say({"id": number, "event": event_of(event)})
                say({"id": number, "value": "the stream ended"})
            elif do == "guard":
                say({"id": number, "value": await self.guard(client, number, command["form"], *args, **options)})
            elif do == "close":
                say({"id": number, "value": client.close()})
            else:
                say({"id": number, "value": told(await getattr(client, do)(*args, **options))})
        except Exception as error:
            say({"id": number, **failure(error)})

    async def guard(self, client: AsyncCallosumClient, number: int, form: str, tool: str, params: dict, **options: Any) -> Any:
        async def body() -> Any:
            say({"id": number, "started": True})
            return ended(await self.finishes[number].get())

        if form == "decorator":
            return await client.guard(tool, params, not_done=NotDone, **options)(body)()
        async with client.guard(tool, params, not_done=NotDone, **options):
            return await body()


if __name__ == "__main__":
    if sys.argv[1] == "blocking":
        Blocking().run()
    else:
        asyncio.run(OnLoop().run())
