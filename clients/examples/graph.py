"""An agent as a graph of steps, in the way of LangGraph but without it, whose tool is behind the gate.

Two sessions of one agent want to mail the same customer. The second is paused, reads why, and its model decides. The models here are
scripted; everything else is real.

    callosum serve &
    PYTHONPATH=clients/python/src python3 clients/examples/graph.py

`CALLOSUM_URL` and `CALLOSUM_TOKEN` name a service elsewhere.
"""

from __future__ import annotations

import contextvars
import os
from typing import Any, Callable

from callosum import CallosumClient, Paused

State = dict[str, Any]
Node = Callable[[State], State]

client = CallosumClient(os.environ.get("CALLOSUM_URL"), token=os.environ.get("CALLOSUM_TOKEN"))
session: contextvars.ContextVar[str] = contextvars.ContextVar("session")
outbox: list[str] = []


# The tool. Its arguments are the parameters that the rules see.
@client.guard("send_email", session=session.get)
def send_email(to: str, subject: str) -> str:
    outbox.append(f"{subject} -> {to}")
    return f"sent to {to}"


# The nodes: each takes the state and gives what changes.
def plan(state: State) -> State:
    return {"call": {"to": "alice@example.com", "subject": state["subject"]}}


def act(state: State) -> State:
    try:
        return {"observation": send_email(**state["call"]), "paused": False}
    except Paused as paused:
        # The model reads the text, so the service may take its next try for a retry.
        client.delivered(paused.call)
        return {"observation": paused.text, "paused": True}


def decide(state: State) -> State:
    """Where a real agent asks its model. This one retries if its script says that the mail is another."""
    print(f"  the model reads: {state['observation'].splitlines()[0]}")
    return {"retry": state["retries"], "retries": False}


class Graph:
    """Nodes by their names, and for each what comes after it."""

    def __init__(self, nodes: dict[str, Node], edges: dict[str, Callable[[State], str]]) -> None:
        self.nodes = nodes
        self.edges = edges

    def run(self, start: str, state: State) -> State:
        node = start
        while node != "end":
            state = {**state, **self.nodes[node](state)}
            node = self.edges[node](state)
        return state


graph = Graph(
    nodes={"plan": plan, "act": act, "decide": decide},
    edges={
        "plan": lambda state: "act",
        "act": lambda state: "decide" if state["paused"] else "end",
        "decide": lambda state: "act" if state["retry"] else "end",
    },
)


def run(name: str, subject: str, *, retries: bool) -> None:
    print(f"{name}: wants to mail alice")
    session.set(name)
    state = graph.run("plan", {"subject": subject, "retries": retries})
    print(f"  {'skipped it' if state['paused'] else state['observation']}")


if __name__ == "__main__":
    run("morning-report", "Report", retries=False)
    run("heartbeat", "Report", retries=False)
    run("support-chat", "Your invoice", retries=True)
    print(f"{len(outbox)} mails went out")
