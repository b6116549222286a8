// Small pieces that all views are made of.

import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import type { AskError } from "../api.ts";
import { cut, stretches, visible } from "../model/text.ts";
import { ago, clock, dateAndClock, moment, msOf, rfc3339 } from "../model/times.ts";
import type { Tier } from "../model/wire.ts";

/** More of a text is never shown, not even on demand. */
const MOST_CHARACTERS = 20_000;

/** Text from the journal: cut at `max` characters, isolated, with what can't be seen written out. The title has more of it. */
export function Text({ text, max = 120 }: { text: string; max?: number }) {
  const short = cut(text, max);
  return (
    <bdi className="untrusted" title={short === text ? undefined : visible(cut(text, 1_000))}>
      <Stretches text={short} />
    </bdi>
  );
}

/** Text from the journal that may be long: the rest of it shows on demand. */
export function LongText({ text, max = 400 }: { text: string; max?: number }) {
  const [whole, setWhole] = useState(false);
  const shown = cut(text, whole ? MOST_CHARACTERS : max);
  return (
    <>
      <bdi className="untrusted long">
        <Stretches text={shown} />
      </bdi>
      {(shown !== text || whole) && (
        <Button className="quiet small" onPress={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </Button>
      )}
    </>
  );
}

function Stretches({ text }: { text: string }) {
  const parts = stretches(text);
  return parts.map((part, place) =>
    part.sign ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      <span className="sign" key={place}>
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}

/** A key in the look of code. */
export function KeyName({ name, max = 80 }: { name: string; max?: number }) {
  return (
    <code className="key">
      <Text text={name} max={max} />
    </code>
  );
}

/** The keys of a call: the first, and how many more. */
export function Keys({ keys, max = 60 }: { keys: readonly string[]; max?: number }) {
  const [first] = keys;
  if (first === undefined) return <span className="muted">–</span>;
  return (
    <span className="keys">
      <KeyName name={first} max={max} />
      {keys.length > 1 && (
        <span className="muted" title={visible(keys.slice(1, 20).join("\n"))}>
          +{keys.length - 1}
        </span>
      )}
    </span>
  );
}

/** A moment in the reader's words; the title has it in full and in RFC 3339. */
export function When({ at, now, style = "clock" }: { at: string | number; now: number; style?: "clock" | "moment" | "ago" }) {
  const ms = typeof at === "number" ? at : msOf(at);
  const exact = rfc3339(ms);
  const text = style === "ago" ? ago(now - ms) : style === "clock" ? clock(ms) : moment(ms, now);
  return (
    <time dateTime={exact} title={`${dateAndClock(ms)}\n${exact}`}>
      {text}
    </time>
  );
}

/** A tier, never by its colour alone. */
export function TierBadge({ tier }: { tier: Tier | undefined }) {
  if (tier === undefined) return <span className="muted">–</span>;
  return (
    <span className="tier" data-tier={tier} title={`Tier ${tier}: ${RISKS[tier]} risk`}>
      T{tier}
    </span>
  );
}

const RISKS: Record<Tier, string> = { 0: "no", 1: "low", 2: "medium", 3: "high", 4: "critical" };

/** Whose call: session, instance and runtime. */
export function Who({
  session,
  machine,
  instance,
  runtime,
}: {
  session?: string | undefined;
  machine?: string | undefined;
  instance?: string | undefined;
  runtime?: string | undefined;
}) {
  const place = [instance, machine === undefined ? undefined : `on ${machine}`, runtime].filter(
    (name) => name !== undefined && name !== "",
  );
  return (
    <span className="who">
      <span className="session">{session ? <Text text={session} max={60} /> : <span className="muted">no session</span>}</span>
      {place.length > 0 && (
        <span className="muted">
          <Text text={place.join(" · ")} max={60} />
        </span>
      )}
    </span>
  );
}

/** Something the reader has to know, with what to do about it. */
export function Notice({
  kind,
  title,
  children,
  action,
}: {
  kind: "error" | "warn" | "info";
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="notice" data-kind={kind} role={kind === "error" ? "alert" : "status"}>
      <span className="notice-sign" aria-hidden="true">
        {kind === "info" ? "i" : "!"}
      </span>
      <div className="notice-text">
        <strong>{title}</strong>
        {children !== undefined && <div>{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** A question that was not answered: what was asked, why not, and another try, which whoever gives `retry` also makes by itself. */
export function Failure({ what, error, retry }: { what: string; error: AskError; retry?: () => void }) {
  // That is told once, for the whole page.
  if (error.code === "unauthorized") return null;
  const again = retry !== undefined && (
    <Button className="button" onPress={retry}>
      Try again
    </Button>
  );
  const text =
    error.code === "unreachable"
      ? `The server does not answer. Is it still running?${retry === undefined ? "" : " The page tries again by itself when it is back."}`
      : error.message;
  return (
    <Notice kind="error" title={what} action={again}>
      <Text text={text} max={1_000} />
    </Notice>
  );
}

/** Nothing is there: why, and what would change that. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Where something will be in a moment. */
export function Skeleton({ rows = 6, label }: { rows?: number; label: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all are alike
        <span className="bone" key={row} />
      ))}
    </div>
  );
}
