"""What only Python has: decorators that read arguments, generators, processes that fork, tasks that are cancelled."""

import asyncio
import json
import os
import pickle
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from callosum import AsyncCallosumClient, CallosumClient, Paused, ServiceError, ServiceUnreachable, Verdict

VERDICT = Verdict("pause", 3, ("email:alice",), "c-1", text="was already acted on", evidence=({"tool": "mail"},))


class Service(ThreadingHTTPServer):
    """Allows every call, and keeps what it was told."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.told: list = []
        self.silent = threading.Event()
        self.spoken = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.told.append((self.path, body))
        if self.path == "/v1/before" and self.server.silent.is_set():
            self.server.spoken.wait(30)
        verdict = {"verdict": "allow", "tier": 3, "contextKeys": [], "call": body.get("call"), "covered": body.get("tool") != "unheard_of"}
        answer = json.dumps(verdict if self.path == "/v1/before" else {"ok": True}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


class WithService(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Service()
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        self.client = CallosumClient(self.service.url)
        self.addCleanup(self.client.close)

    def told(self, path: str) -> list:
        return [body for at, body in self.service.told if at == path]

    def params(self) -> list:
        return [body["params"] for body in self.told("/v1/before")]


class Decorators(WithService):
    def test_the_arguments_are_the_parameters_by_their_names(self) -> None:
        @self.client.guard("mail")
        def send(to: str, *copies: str, subject: str = "none", **more: int) -> str:
            """Sends."""
            return f"{to} {subject}"

        self.assertEqual(send("alice", "bob", urgent=1), "alice none")
        self.assertEqual(send(to="alice", subject="hello"), "alice hello")
        self.assertEqual(
            self.params(),
            [
                {"to": "alice", "copies": ["bob"], "subject": "none", "urgent": 1},
                {"to": "alice", "copies": [], "subject": "hello"},
            ],
        )
        self.assertEqual((send.__name__, send.__doc__), ("send", "Sends."))

    def test_an_argument_that_has_the_name_of_a_positional_one_does_not_take_its_place(self) -> None:
        @self.client.guard("refund")
        def pay(payment: str, /, **meta: str) -> None:
            pass

        pay("pay_1", payment="ref-1", note="x")
        self.assertEqual(self.params(), [{"payment": "pay_1", "note": "x", "meta": {"payment": "ref-1"}}])

    def test_an_error_that_names_no_text_is_told_all_the_same(self) -> None:
        @self.client.guard("refund", not_done=FileNotFoundError)
        def pay(payment: str) -> None:
            raise FileNotFoundError("no receipt " + b"caf\xe9.pdf".decode("utf-8", "surrogateescape"))

        with self.assertRaises(FileNotFoundError):
            pay("pay_1")
        (told,) = self.told("/v1/after")
        self.assertEqual((told["outcome"], told["error"]), ("failed", "FileNotFoundError: no receipt caf?.pdf"))

    def test_parameters_and_session_may_be_worked_out_at_each_call(self) -> None:
        sessions = iter(["one", "two"])

        class Mailer:
            @self.client.guard("mail", lambda mailer, to: {"to": to}, session=lambda: next(sessions))
            def send(mailer, to: str) -> str:
                return to

        self.assertEqual([Mailer().send("alice"), Mailer().send("bob")], ["alice", "bob"])
        self.assertEqual(self.params(), [{"to": "alice"}, {"to": "bob"}])
        self.assertEqual([body["session"] for body in self.told("/v1/before")], ["one", "two"])

    def test_wrong_arguments_and_values_that_are_no_json_ask_nothing(self) -> None:
        @self.client.guard("mail")
        def send(to: object) -> None:
            self.fail("it ran")

        with self.assertRaisesRegex(TypeError, "missing a required argument: 'to'"):
            send()
        for value in (object(), float("nan")):
            with self.assertRaisesRegex(Exception, "can't be written as JSON.*give plain values"):
                send(value)
        self.assertEqual(self.service.told, [])

    def test_whatever_a_call_gave_its_end_is_told_and_whether_that_is_an_error(self) -> None:
        client = CallosumClient(self.service.url, instance="doug")
        deep: list = []
        for _ in range(300):
            deep = [deep]
        results = [
            ({"id": 7}, {"id": 7}),
            (object(), {}),
            (ValueError("cut off"), {"error": "cut off"}),
            ({"error": ValueError("cut off")}, {"error": "cut off"}),
            ({"text": "x" * 2_000_000, "error": "y" * 5_000}, {"error": "y" * 1_000}),
            ({"text": "\ud800"}, {}),
            (deep, {}),
            (None, {}),
        ]
        for result, _ in results:
            client.complete("email:a", result)
        self.assertEqual([body["result"] for body in self.told("/complete")], [told for _, told in results])

    def test_one_guard_is_open_for_one_thread_at_a_time_from_its_question_on(self) -> None:
        guard = self.client.guard("mail", {"to": "alice"})
        asks = threading.Event()
        entered: list = []

        def first() -> None:
            with guard:
                entered.append(True)

        self.service.silent.set()
        thread = threading.Thread(target=first)
        thread.start()
        while not self.told("/v1/before"):
            asks.wait(0.01)
        with self.assertRaisesRegex(RuntimeError, "open already"):
            with guard:
                self.fail("it ran")
        self.service.spoken.set()
        thread.join()
        self.assertEqual((entered, len(self.told("/v1/before"))), ([True], 1))
        self.assertEqual([body["outcome"] for body in self.told("/v1/after")], ["complete"])

    def test_one_that_may_run_at_once_in_many_threads_keeps_its_calls_apart(self) -> None:
        @self.client.guard("mail")
        def send(to: str) -> str:
            return to

        got: list = []
        threads = [threading.Thread(target=lambda name=name: got.append(send(name))) for name in map(str, range(8))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(got), sorted(map(str, range(8))))
        asked = {body["call"] for body in self.told("/v1/before")}
        self.assertEqual(len(asked), 8)
        self.assertEqual({body["call"] for body in self.told("/v1/after")}, asked)

    def test_a_function_whose_body_runs_later_is_turned_away(self) -> None:
        async def coroutine() -> None: ...

        def generator():
            yield 1

        async def stream():
            yield 1

        with self.assertRaisesRegex(TypeError, "is async: guard it with `AsyncCallosumClient`"):
            self.client.guard("mail")(coroutine)
        with self.assertRaisesRegex(TypeError, "is a generator"):
            self.client.guard("mail")(generator)
        other = AsyncCallosumClient(self.service.url)
        for function in (generator, stream, lambda: None):
            with self.assertRaisesRegex(TypeError, "is no `async def` that returns"):
                other.guard("mail")(function)


class Contexts(WithService):
    def test_one_guard_is_open_once_at_a_time(self) -> None:
        guard = self.client.guard("mail", {})
        with guard as verdict:
            self.assertEqual(verdict.verdict, "allow")
            with self.assertRaisesRegex(RuntimeError, "open already"):
                guard.__enter__()
        with guard:
            pass
        self.assertEqual([body["outcome"] for body in self.told("/v1/after")], ["complete", "complete"])
        with self.assertRaisesRegex(TypeError, "give them as `params`"):
            self.client.guard("mail").__enter__()

    def test_ctrl_c_in_the_middle_leaves_the_outcome_unknown(self) -> None:
        with self.assertRaises(KeyboardInterrupt), self.client.guard("mail", {}):
            raise KeyboardInterrupt
        self.assertEqual([body["outcome"] for body in self.told("/v1/after")], ["unknown"])


class Processes(WithService):
    def test_errors_can_be_pickled_for_pools_of_processes(self) -> None:
        for error in (
            Paused(VERDICT),
            ServiceUnreachable("unix:/s", "nobody", "start it", True),
            ServiceError("no", 429, "limit", 3.0),
        ):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), vars(again)), (type(error), str(error), vars(error)))
        self.assertEqual(pickle.loads(pickle.dumps(Paused(VERDICT))).context_keys, ("email:alice",))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_a_forked_process_does_not_read_its_parents_answers(self) -> None:
        self.client.before("mail", {"from": "parent"})
        ours = self.client._transport._idle
        self.assertEqual(len(ours), 1)
        port = ours[0][1].sock.getsockname()
        child = os.fork()
        if child == 0:
            try:
                self.client.before("mail", {"from": "child"})
                own = self.client._transport._idle
                os._exit(0 if len(own) == 1 and own[0][1].sock.getsockname() != port else 3)
            except BaseException:
                os._exit(4)
            finally:
                os._exit(5)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.WEXITSTATUS(status), 0)
        self.client.before("mail", {"from": "parent"})
        self.assertEqual([params["from"] for params in self.params()], ["parent", "child", "parent"])

    def test_a_verdict_tells_whether_a_rule_is_for_the_tool(self) -> None:
        self.assertIs(self.client.before("mail", {}).covered, True)
        self.assertIs(self.client.before("unheard_of", {}).covered, False)

    def test_a_closed_client_says_so(self) -> None:
        self.client.close()
        with self.assertRaisesRegex(Exception, "this client is closed"):
            self.client.status()


class OnALoop(WithService):
    def test_a_call_that_is_cancelled_is_unknown_and_told(self) -> None:
        async def main() -> None:
            client = AsyncCallosumClient(self.service.url)
            started = asyncio.Event()

            @client.guard("mail")
            async def send(to: str) -> None:
                started.set()
                await asyncio.sleep(30)

            task = asyncio.ensure_future(send("alice"))
            await started.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        self.assertEqual([body["outcome"] for body in self.told("/v1/after")], ["unknown"])

    def test_a_question_that_is_cancelled_runs_nothing_and_its_call_is_told_to_be_refused(self) -> None:
        async def main() -> None:
            client = AsyncCallosumClient(self.service.url)
            self.service.silent.set()
            task = asyncio.ensure_future(client.guard("mail", {}).__aenter__())
            while not self.told("/v1/before"):
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while not self.told("/v1/after"):
                await asyncio.sleep(0.01)

        asyncio.run(main())
        (asked,) = self.told("/v1/before")
        self.assertEqual(self.told("/v1/after"), [{"call": asked["call"], "outcome": "refused"}])

    def test_one_client_may_be_used_on_one_loop_after_another(self) -> None:
        client = AsyncCallosumClient(self.service.url)
        for _ in range(2):
            self.assertEqual(asyncio.run(client.before("mail", {})).verdict, "allow")
        client.close()


if __name__ == "__main__":
    unittest.main()
