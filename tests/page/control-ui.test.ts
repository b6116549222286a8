// The page in OpenClaw's Control UI: a real gateway, a real browser. One gateway for all of them; each test has its own keys, sessions and window.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import type { Browser, Frame } from "playwright-core";
import { FULL_SIZE } from "../full-size.ts";
import { send } from "../openclaw/harness/mail.ts";
import { exec, until, World } from "../openclaw/harness/world.ts";
import {
  BROWSER,
  launch,
  NEEDS_BROWSER,
  openWindow,
  picture,
  seriousFindings,
  type Watched,
  type WindowOptions,
} from "./harness/browser.ts";
import { frameOf, openTab, signIn, type TabName } from "./harness/control-ui.ts";
import { gateOn } from "./harness/own-server.ts";
import { Readers } from "./harness/readers.ts";

const AREAS = ["Timeline", "Leases", "Sessions", "Journal", "Rules", "Coverage"] as const;

let world: World;
let browser: Browser;
let windows: Watched[] = [];

before(async () => {
  if (BROWSER === undefined) return;
  browser = await launch();
  world = await World.open({
    controlUi: true,
    rules: {
      extends: "default",
      rules: ["prod", "test"].map((name) => ({
        name: `deploy-${name}`,
        tier: 4,
        tool: "exec",
        commandPattern: `# deploy ${name}`,
        contextKey: `deploy:${name}`,
      })),
    },
  });
});
after(async () => {
  await browser?.close();
  await world?.close();
});
afterEach(async () => {
  const noticed = windows.flatMap((watched) => watched.noticed);
  // A token in an address would be kept in histories and logs.
  const addresses = windows.flatMap((watched) => watched.requests.filter((path) => path.includes("/callosum")));
  const tokens = addresses.filter((path) => /\d\.[\w-]{12}\.[\w-]{43}/.test(path));
  await Promise.all(windows.map(({ context }) => context.close()));
  windows = [];
  // Whatever a test is about: nothing leaves the gateway, nothing breaks the policy, no script fails, no dialog opens.
  assert.deepEqual([...noticed, ...tokens], []);
});

async function newWindow(origin: string, options: WindowOptions = {}): Promise<Watched> {
  const watched = await openWindow(browser, origin, options);
  windows.push(watched);
  return watched;
}

/** A window with a tab of the Control UI that was opened from the sidebar. */
async function inTab(name: TabName = "Callosum", options: WindowOptions = {}): Promise<{ watched: Watched; frame: Frame }> {
  const { origin, token } = world.gateway;
  const watched = await newWindow(origin, options);
  await signIn(watched, origin, token);
  return { watched, frame: await openTab(watched, name) };
}

/** Goes to an area of the page. */
async function show(frame: Frame, area: (typeof AREAS)[number]): Promise<void> {
  await frame.getByRole("tab", { name: area }).click();
  await frame.getByRole("tabpanel", { name: area }).waitFor();
}

const rows = (frame: Frame) => frame.getByRole("region", { name: "Records" }).getByRole("row");
const story = (frame: Frame) => frame.getByRole("dialog", { name: "Story" });

const isHeld = async (key: string) => (await world.status()).locks.some((lock) => lock.contextKey === key);

/** Begins a command of tier 4 that runs for long, and holds `deploy:<name>` meanwhile. */
async function deploying(name: string) {
  const turn = world.begin(`deployer-${name}`, [exec(`sleep 40 # deploy ${name}`)]);
  await until("the deployment", () => isHeld(`deploy:${name}`));
  return turn;
}

test("the tab is in the sidebar, and its page is live and has an address", NEEDS_BROWSER, async () => {
  const { watched, frame } = await inTab();
  await frame.getByText("Live", { exact: true }).waitFor();
  await frame.getByText("enforce").waitFor();
  assert.equal(new URL(watched.page.url()).pathname, "/callosum");
  assert.equal(await frame.evaluate(() => (globalThis as unknown as { origin: string }).origin), "null");
  await picture(watched.page, "empty");
});

test("what a session does shows up while one looks, and who is paused after it", NEEDS_BROWSER, async () => {
  const { watched, frame } = await inTab();
  await frame.getByText("Live", { exact: true }).waitFor();
  await world.play("first", exec(send("alice@example.com")));
  await frame.getByRole("button", { name: /complete: exec on email:alice@example\.com/i }).waitFor();
  await world.play("second", exec(send("alice@example.com")));
  await frame.getByRole("button", { name: /paused: exec on email:alice@example\.com/i }).waitFor();
  await picture(watched.page, "timeline");
});

test("the journal's filters leave what was asked for, and a row tells the story", NEEDS_BROWSER, async () => {
  await world.play("third", exec(send("bob@example.com")));
  await world.play("fourth", exec(send("bob@example.com")));
  await world.play("fourth", exec("ls"));
  const { watched, frame } = await inTab();
  await show(frame, "Journal");
  await rows(frame).filter({ hasText: "bob@example.com" }).first().waitFor();
  await frame.getByRole("searchbox", { name: "Text" }).fill("BOB@");
  await until("only what is about bob", async () => {
    const texts = await rows(frame).locator("td.c-key").allInnerTexts();
    return texts.length >= 3 && texts.every((text) => text.includes("bob@example.com"));
  });
  await frame.getByLabel("What").selectOption("blocked");
  await until("only the pause", async () => {
    const words = await rows(frame).locator("td.c-what").allInnerTexts();
    return words.length === 1 && words[0]?.includes("paused");
  });
  await picture(watched.page, "journal");
  await rows(frame)
    .getByRole("button", { name: /paused/ })
    .click();
  const told = story(frame);
  await told.getByText("email:bob@example.com").first().waitFor();
  const calls = await until("both calls", async () => {
    const texts = await told.getByRole("listitem").allInnerTexts();
    return texts.length >= 2 && texts;
  });
  assert.match(calls.join("\n"), /agent:main:third.*agent:main:fourth.*paused/s);
  await picture(watched.page, "story");
  await watched.page.keyboard.press("Escape");
  await told.waitFor({ state: "detached" });
  await frame.getByRole("button", { name: "Clear", exact: true }).click();
  await until("all records again", async () => (await rows(frame).locator("td.c-what").count()) > 5);
});

test("who may write releases a lease, and the journal says so", NEEDS_BROWSER, async () => {
  const turn = await deploying("prod");
  const looking = await inTab();
  await show(looking.frame, "Leases");
  await looking.frame.getByText("deploy:prod").first().waitFor();
  // There it is only looked at.
  assert.equal(await looking.frame.getByRole("button", { name: "Release" }).count(), 0);
  const { watched, frame } = await inTab("Callosum leases");
  await frame.getByRole("button", { name: "Release" }).click();
  await picture(watched.page, "release");
  const question = frame.getByRole("alertdialog");
  await question.getByText("is not stopped").waitFor();
  await question.getByRole("button", { name: "Release" }).click();
  await frame.getByText("Nobody holds anything now").waitFor();
  await looking.frame.getByText("Nobody holds anything now").waitFor();
  const [row] = await world.journal({ action: "released" });
  assert.deepEqual([row?.contextKeys, row?.reason], [["deploy:prod"], "by an operator, in the Control UI"]);
  assert.ok(!(await isHeld("deploy:prod")));
  await world.gateway.rpc("chat.abort", { sessionKey: turn.session });
});

test("who may only read sees the page and no way to release, and is refused one", NEEDS_BROWSER, async () => {
  const turn = await deploying("test");
  const readers = await Readers.before(world.gateway.origin);
  try {
    const watched = await newWindow(readers.origin);
    await signIn(watched, readers.origin, world.gateway.token);
    const frame = await openTab(watched, "Callosum");
    assert.equal(await watched.page.getByRole("link", { name: "Callosum leases" }).count(), 0);
    await show(frame, "Leases");
    await frame.getByText("deploy:test").first().waitFor();
    assert.equal(await frame.getByRole("button", { name: "Release" }).count(), 0);
    // Nor with what the page knows, at any address.
    for (const base of ["/plugins/callosum/", "/plugins/callosum-leases/"]) {
      const answer = await frame.evaluate(
        async ([url, meta]) => {
          const page = globalThis as unknown as { document: { querySelector(s: string): { content: string } } };
          const { token } = JSON.parse(page.document.querySelector(meta ?? "").content) as { token: string };
          return (await fetch(url ?? "", { method: "POST", headers: { accept: `application/json; token=${token}` } })).status;
        },
        [`${base}api/release?q=${encodeURIComponent('{"key":"deploy:test"}')}`, 'meta[name="callosum-page"]'],
      );
      assert.equal(answer, 403, base);
    }
    assert.ok(await isHeld("deploy:test"));
    await picture(watched.page, "reader");
  } finally {
    await world.gateway.rpc("chat.abort", { sessionKey: turn.session });
    readers.close();
  }
});

test(
  "hostile text of a journal is text: no element, no request, no dialog, and nothing hidden in it",
  NEEDS_BROWSER,
  async () => {
    const gate = gateOn(world.stateDir, "claude-code", { instanceId: '<b id="hit">i</b>' });
    const hostile = [
      '<img src=x onerror="alert(1)">',
      '"><script src="https://evil.example/x.js"></script>',
      "javascript:alert(1)",
      "\u202eevil\u2066\u200b\u0007\u001b[31m",
      `{{7*7}}$${"{7*7}"}`,
      "x".repeat(3_000),
    ];
    let call = 0;
    for (const text of hostile)
      for (const session of [`hostile ${text}`, "hostile again"]) {
        call += 1;
        const params = { command: `himalaya message send --to '${text}@hit.example' --body '${text}'` };
        const answer = gate.before("exec", null, text, session, "r", `hostile-${call}`, "/w", params);
        if (answer?.ticket !== undefined && answer.ticket !== null) await gate.finish(answer.ticket);
        gate.after("exec", text, session, "r", `hostile-${call}`, params, "ok", 0, null);
      }
    await gate.maintain();
    await gate.close();
    const { watched, frame } = await inTab("Callosum", { width: 1600 });
    const intruders = () =>
      frame.locator("img, #hit, script:not([src='app.js']), iframe, object, embed, a[href^='javascript']").count();
    for (const area of AREAS) {
      await show(frame, area);
      if (area === "Journal") await rows(frame).filter({ hasText: "<img src=x" }).first().waitFor();
      if (area === "Timeline") await frame.locator("[data-seq]").first().waitFor();
      assert.equal(await intruders(), 0, area);
      const hidden = await frame.evaluate(() => {
        const { document } = globalThis as unknown as { document: { body: { textContent: string } } };
        // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
        return /[\u0000-\u0008\u000b-\u001f\u200b\u202a-\u202e\u2060-\u2069]/.exec(document.body.textContent)?.[0] ?? null;
      });
      assert.equal(hidden, null, `${area}: a character that nobody sees`);
      await picture(watched.page, `hostile-${area.toLowerCase()}`);
    }
    await show(frame, "Journal");
    for (const text of ["<img src=x", "evil", "xxxxxxxx"]) {
      await rows(frame).filter({ hasText: text }).getByRole("button").first().click();
      await story(frame).getByRole("listitem").first().waitFor();
      assert.equal(await intruders(), 0, text);
      await watched.page.keyboard.press("Escape");
      await story(frame).waitFor({ state: "detached" });
    }
  },
);

const THEMES = ["light", "dark"] as const;
const WIDTHS = [400, 1280, 2000];
/** Each theme at each width; in `npm test` each width once, and each theme at least once. */
const LOOKS = WIDTHS.flatMap((width, at) =>
  THEMES.filter((_, of) => FULL_SIZE || of === at % THEMES.length).map((theme) => ({ theme, width })),
);

for (const { theme, width } of LOOKS)
  test(`${theme}, ${width} px wide: the host's theme, nothing cut off, no finding of axe`, NEEDS_BROWSER, async () => {
    const { origin, token } = world.gateway;
    const watched = await newWindow(origin, { theme, width });
    await watched.page.goto(`${origin}/callosum#token=${token}`);
    const frame = await frameOf(watched, "Callosum");
    type Global = { document: { documentElement: { dataset: { theme?: string }; scrollWidth: number; clientWidth: number } } };
    const root = () =>
      frame.evaluate(() => {
        const { dataset, scrollWidth, clientWidth } = (globalThis as unknown as Global).document.documentElement;
        return { theme: dataset.theme, over: scrollWidth - clientWidth };
      });
    await until("the host's theme", async () => (await root()).theme === theme);
    for (const area of AREAS) {
      await show(frame, area);
      await frame.getByRole("status").first().waitFor();
      assert.ok((await root()).over <= 0, `${area} is wider than its frame`);
      assert.deepEqual(await seriousFindings(frame), [], area);
      await picture(watched.page, `${area.toLowerCase()}-${theme}-${width}`);
    }
  });

test("by keyboard alone: to a mark, to another, into the story and out", NEEDS_BROWSER, async () => {
  await world.play("keys", exec(send("carol@example.com")), exec(send("dan@example.com")));
  const { watched, frame } = await inTab();
  await frame.getByRole("button", { name: /dan@example\.com/ }).waitFor();
  const { keyboard } = watched.page;
  const focused = () =>
    frame.evaluate(() => {
      type Element = { getAttribute(name: string): string | null };
      return (
        (globalThis as unknown as { document: { activeElement: Element } }).document.activeElement.getAttribute("aria-label") ??
        ""
      );
    });
  await frame.getByRole("tab", { name: "Timeline" }).focus();
  await until("a mark to be reached with Tab", async () => {
    await keyboard.press("Tab");
    return /tier \d/.test(await focused());
  });
  const first = await focused();
  await keyboard.press("ArrowLeft");
  const second = await until("the next mark", async () => {
    const now = await focused();
    return now !== first && /tier \d/.test(now) && now;
  });
  await keyboard.press("Enter");
  await story(frame).waitFor();
  await keyboard.press("Escape");
  await story(frame).waitFor({ state: "detached" });
  assert.equal(await focused(), second);
});

test("what a call would get is asked on the page", NEEDS_BROWSER, async () => {
  const { watched, frame } = await inTab();
  await show(frame, "Rules");
  await frame.getByLabel("Command line").fill(send("alice@example.com"));
  await frame.getByRole("button", { name: "Ask" }).click();
  await frame.getByText("It would be paused").waitFor();
  await frame.getByText("email:alice@example.com").first().waitFor();
  await frame.getByRole("row", { name: /^deploy-prod/ }).waitFor();
  await picture(watched.page, "rules");
});

test("a reload of the plugin under the open page is survived by it", NEEDS_BROWSER, async () => {
  const { frame } = await inTab();
  await frame.getByText("Live", { exact: true }).waitFor();
  const file = join(world.dir, "gateway", "openclaw.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as {
    plugins: { entries: { callosum: { config: Record<string, unknown> } } };
  };
  config.plugins.entries.callosum.config.sessionContext = false;
  const applied = () => world.gateway.log().split("config hot reload applied").length;
  const before = applied();
  writeFileSync(file, JSON.stringify(config, null, 2));
  await until("the reload", () => applied() > before, 30_000);
  await frame.getByText("Live", { exact: true }).waitFor();
  await world.play("after-reload", exec(send("erin@example.com")));
  await frame.getByRole("button", { name: /erin@example\.com/ }).waitFor();
});

test("a foreign page in the same browser learns nothing, sandboxed or not", NEEDS_BROWSER, async () => {
  const { watched, frame } = await inTab("Callosum leases");
  await frame.getByText("Live", { exact: true }).waitFor();
  const { origin } = world.gateway;
  const attempts = ["", "?", "api/status", "api/status?t=x", "api/journal?t=", "api/events", "app.js"].flatMap((path) =>
    ["/plugins/callosum/", "/plugins/callosum-leases/"].map((base) => origin + base + path),
  );
  const script = `Promise.all(${JSON.stringify(attempts)}.map(async (url) => {
    for (const credentials of ["include", "omit"]) {
      try { parent.postMessage({ url, read: await (await fetch(url, { credentials })).text() }, "*"); }
      catch { parent.postMessage({ url }, "*"); }
    }
  })).then(() => fetch("${origin}/plugins/callosum-leases/api/release", { method: "POST", credentials: "include" }).catch(() => {}))
    .then(() => parent.postMessage("done", "*"))`;
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    const inner = `<script>${script.replaceAll("</", "<\\/")}</script>`;
    response.end(
      request.url === "/inner"
        ? inner
        : `<script>heard = []; onmessage = (m) => heard.push(m.data)</script>
           <iframe sandbox="allow-scripts" src="/inner"></iframe><iframe src="/inner"></iframe>
           <iframe id="shown" src="${origin}/plugins/callosum-leases/"></iframe>`,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const page = await watched.context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const heard = await until("both frames to be done", async () => {
      const all = await page.evaluate(
        () => (globalThis as unknown as { heard: Array<"done" | { url: string; read?: string }> }).heard,
      );
      return all.filter((one) => one === "done").length === 2 && all;
    });
    const read = heard.flatMap((one) => (one === "done" || one.read === undefined ? [] : [one.read]));
    // What it can read is that it may not.
    for (const text of read) assert.match(text, /"unauthorized"/);
    const shown = page.frames().find((known) => known.url().includes("callosum-leases"));
    assert.ok(
      shown === undefined || !(await shown.content()).includes("callosum-page"),
      "a foreign page shows the page in a frame",
    );
    await page.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("the gateway stops at once under a live page", NEEDS_BROWSER, async () => {
  const { origin, token } = world.gateway;
  // Not by a browser: it keeps a spare connection now and then on which it asks nothing, and for that one, too, the host waits a second.
  const opened = await fetch(`${origin}/plugins/callosum/`, { headers: { authorization: `Bearer ${token}` } });
  const pass = /token&#34;:&#34;([\w.-]+)/.exec(await opened.text())?.[1];
  const stream = await fetch(`${origin}/plugins/callosum/api/events`, {
    headers: { accept: `text/event-stream; token=${pass}` },
  });
  assert.equal(stream.status, 200);
  let stopped: Promise<void> | undefined;
  // To its proper end: of a stream that is cut off, reading throws.
  for await (const piece of stream.body ?? []) if (Buffer.from(piece).includes("event: head")) stopped ??= world.gateway.stop();
  assert.ok(stopped, "the page was told nothing");
  await stopped;
  assert.doesNotMatch(world.gateway.log(), /http-server.*exceeded/);
});
