// The demo: a real OpenClaw gateway with the built plugin, thrown away afterwards. Only the model and the mail program are stand-ins, so that
// it needs no account and nobody gets mail.

import assert from "node:assert/strict";
import { send } from "../../tests/openclaw/harness/mail.ts";
import { EXTENSION } from "../../tests/openclaw/harness/stage.ts";
import { exec, until, World } from "../../tests/openclaw/harness/world.ts";
import { quote, say, show, title } from "./narrator.ts";

/** The extension that was built for it. */
const extension = process.argv[2] ?? EXTENSION;
const started = Date.now();
let world: World | undefined;
let stopping = false;

/** Ends the gateway and removes its folder, once, however the demo ends. */
async function cleanUp(): Promise<void> {
  const open = world;
  world = undefined;
  await open?.close();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    console.log("\nStopping, and cleaning up …");
    void cleanUp().then(
      () => process.exit(130),
      () => process.exit(1),
    );
  });
}
const mails = (about: string) => world?.mail.sent(about).length ?? 0;

async function story(scene: World): Promise<void> {
  title("1. Session A mails Alice");
  say('"morning-report" is an agent session like any other. Its model calls the exec tool:');
  const toAlice = send("alice@example.com", "Your report is ready.");
  quote(toAlice);
  await scene.play("morning-report", exec(toAlice));
  say(`The call passed. Mails to Alice: ${mails("alice")}.`);
  assert.equal(mails("alice"), 1);

  title("2. Session B is about to mail Alice too");
  say(
    '"heartbeat" shares the mailbox with session A, but not its memory. Its model makes the same call, and this is what it is told instead (taken from the request that the gateway sent to it):',
  );
  const [told = ""] = await scene.play("heartbeat", exec(toAlice));
  quote(told);
  say(`Mails to Alice: ${mails("alice")}. Without Callosum it would be 2 by now.`);
  assert.match(told, /^\[Callosum\]/);
  assert.equal(mails("alice"), 1);

  title("3. The agent has the final say");
  say("Session B now knows what happened, and decides to send it all the same. A retry goes through:");
  const [retried = ""] = await scene.play("heartbeat", exec(toAlice));
  quote(retried);
  say(`Mails to Alice: ${mails("alice")}. One more try would be paused again: its own mail is news by then.`);
  assert.equal(mails("alice"), 2);

  title("4. Two sessions at the same moment");
  say("Two sessions mail Bob at once, with a mail server that takes two seconds. Nobody has finished when the second one asks.");
  const toBob = exec(send("bob@example.com", "Lunch?", { slow: 2 }));
  const names = ["calendar", "inbox"];
  const turns = names.map((name) => scene.begin(name, [{ calls: [toBob], hold: "both" }]));
  await until("both models to be asked", () => turns.every((turn) => scene.model.turn(turn.name).length === 1));
  scene.model.release("both");
  const answers = await Promise.all(turns.map((turn) => turn.results()));
  const second = answers.findIndex(([answer]) => answer?.startsWith("[Callosum]"));
  say(`"${names[second]}" came second, and is told:`);
  quote(answers[second]?.[0] ?? "");
  say(`Mails to Bob: ${mails("bob")}.`);
  assert.equal(mails("bob"), 1);

  title("5. What failed may be tried again");
  say(
    '"newsletter" mails Carol, with an option that the mail program does not know. Its exit code proves that nothing was sent:',
  );
  const toCarol = "carol@example.com";
  quote((await scene.play("newsletter", exec(send(toCarol, "News", { fail: 2 }))))[0] ?? "");
  say('"morning-report" is not paused when it tries the same:');
  const [passed = ""] = await scene.play("morning-report", exec(send(toCarol, "News")));
  quote(passed);
  assert.equal(mails(toCarol), 1);
  const rows = await scene.journal({ key: "email:carol@example.com" });
  say(
    `In the journal: ${rows.map((row) => `${row.session?.replace("agent:main:", "")} ${row.action === "intercept" ? "started" : row.action}`).join(", ")}.`,
  );

  title("6. The journal");
  say(
    "All of it is in one file that every session on the machine shares. Its last lines, read by the native program, which knows nothing of the gateway:",
  );
  show("callosum journal -n 20", await scene.cli("journal", "-n", "20"));
  show("callosum status", await scene.cli("status"));
}

try {
  title("Callosum: the left hand knows what the right hand does");
  say(
    "Starting a real OpenClaw gateway with the plugin, in a folder of its own, on loopback. The model plays a script, and the mail program only writes down what it is asked to send. (About 15 seconds.)",
  );
  world = await World.open({ extension }, (opening) => {
    world = opening;
  });
  await story(world);
  await cleanUp();
  say(`\nThat was it, in ${Math.round((Date.now() - started) / 1000)} seconds. The gateway is stopped and its folder is gone.`);
} catch (error) {
  if (!stopping) {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
} finally {
  if (!stopping) await cleanUp();
}
