// Tool calls as a host hands them to the gate: one of each sort that the rules tell apart, with parameters of any size.

/** Where a line has to be before its call goes on: with the system, or on the disk. */
export type Durability = "os" | "disk";

export interface Kind {
  tool: string;
  tier: 0 | 1 | 2 | 3;
  /** What the shipped rules say of it; the SQLite gate is told, because classifying is not its job here. */
  rule: string;
  params: (number: number, filler: string) => Record<string, unknown>;
  key: (number: number) => string | null;
}

export interface Call extends Omit<Kind, "params" | "key"> {
  params: Record<string, unknown>;
  key: string | null;
  session: string;
  run: string;
  id: string;
  exitCode: number | null;
}

/** Nobody else mails to this one. */
const friend = (number: number) => `friend-${process.pid}-${number}@example.com`;
const mailCommand = (to: string, text: string) => `himalaya message send --to ${to} --subject Report <<'END'\n${text}\nEND`;

export const KINDS = {
  read: {
    tool: "read",
    tier: 0,
    rule: "read",
    params: (number, filler) => ({ path: `/srv/agent/notes/${number % 500}.md`, note: filler }),
    key: () => null,
  },
  write: {
    tool: "write",
    tier: 1,
    rule: "write-file",
    params: (number, filler) => ({ path: `/srv/agent/out/${number % 500}.md`, content: filler }),
    key: (number) => `file:/srv/agent/out/${number % 500}.md`,
  },
  command: {
    tool: "exec",
    tier: 1,
    rule: "exec",
    params: (number, filler) => ({ command: `cat > out/${number % 500}.md <<'END'\n${filler}\nEND` }),
    key: () => null,
  },
  message: {
    tool: "message",
    tier: 2,
    rule: "message-send",
    params: (number, filler) => ({ action: "send", target: `team-${number % 100}`, message: filler }),
    key: (number) => `channel:team-${number % 100}`,
  },
  mailTool: {
    tool: "send_email",
    tier: 3,
    rule: "email-tool",
    params: (number, filler) => ({ to: friend(number), subject: "Report", body: filler }),
    key: (number) => `email:${friend(number)}`,
  },
  mailCommand: {
    tool: "exec",
    tier: 3,
    rule: "email-send",
    params: (number, filler) => ({ command: mailCommand(friend(number), filler) }),
    key: (number) => `email:${friend(number)}`,
  },
  /** A mail to somebody who was mailed before. */
  mailAgain: {
    tool: "exec",
    tier: 3,
    rule: "email-send",
    params: (_number, filler) => ({ command: mailCommand("mailed@example.com", filler) }),
    key: () => "email:mailed@example.com",
  },
} satisfies Record<string, Kind>;

const WORDS = "the report is done and what was found stands in the notes of this week so have a look when there is time ";

let last = 0;

/** A call that was never made before, its parameters `bytes` long as JSON. */
export function newCall(kind: Kind, bytes: number, session?: string): Call {
  last += 1;
  const room = bytes - JSON.stringify(kind.params(last, "")).length;
  const filler = WORDS.repeat(Math.max(0, Math.ceil(room / WORDS.length))).slice(0, Math.max(0, room));
  return {
    tool: kind.tool,
    tier: kind.tier,
    rule: kind.rule,
    // As a host has them: read from JSON, so that no string still waits to be put together.
    params: JSON.parse(JSON.stringify(kind.params(last, filler))) as Record<string, unknown>,
    key: kind.key(last),
    session: session ?? `agent:main:cron-${last % 20}`,
    run: `run-${Math.floor(last / 100)}`,
    id: `call_${String(last).padStart(16, "0")}`,
    exitCode: kind.tool === "exec" ? 0 : null,
  };
}

/** A session that was never heard of. */
export function newSession(): string {
  return `agent:main:visitor-${last}`;
}
