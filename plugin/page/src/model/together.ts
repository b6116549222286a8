// What sessions do together and what they share, as the servers tell it; and what of it waits for the reader.

/** Who did something. */
export interface Who {
  machine?: string | null;
  instance: string;
  runtime: string;
  agent: string;
  session: string;
  via: string;
}

/** Who that is, in a word. A client of the service chooses what its sessions are called, and could be taken for another one by that alone. */
export function nameOf(who: Who): string {
  if (who.via === "operator") return "a person";
  const session = who.runtime === "http" ? `${who.instance}/${who.session}` : who.session;
  const name = who.session === "" ? who.instance : session;
  return who.machine ? `${name} on ${who.machine}` : name;
}

/** How a task stands. */
export type TaskState =
  | "open"
  | "claimed"
  | "blocked"
  | "input-required"
  | "completed"
  | "failed"
  | "cancelled"
  | "lost"
  | "stalled";

/** Work that one session may claim. */
export interface Task {
  id: string;
  title: string;
  prompt: string;
  category: string | null;
  files: string[];
  deps: string[];
  to: string | null;
  by: Who;
  priority: number;
  outputFile: string | null;
  outputExists: boolean | null;
  state: TaskState;
  why: string | null;
  attempt: number;
  holder: (Who & { claimedAt: string }) | null;
  accepted: boolean;
  createdAt: string;
  updatedAt: string;
  result: string | null;
  late: boolean;
}

/** How far a message has come with one of those it is for. */
export interface Receipt {
  instance: string;
  session: string;
  state: "sent" | "shown" | "acknowledged" | "expired";
  at: string | null;
}

/** A message, and what became of it. */
export interface Message {
  id: string;
  thread: string;
  from: Who;
  to: string;
  role: string | null;
  intent: "request" | "inform" | "ack";
  urgent: boolean;
  body: string;
  at: string;
  expiresAt: string;
  receipts: Receipt[];
}

/** A session of the last day. What hooks tell of it may be missing. */
export interface Session {
  machine?: string;
  instance: string;
  session: string;
  runtime?: string;
  agent?: string;
  lastAt: string;
  lastTool?: string;
  over?: "ended" | "gone";
  calls: number;
  paused: number;
  holds: string[];
  activity?: string;
  activitySince?: string;
  cwd?: string | null;
  project?: string | null;
}

/** What a session published. */
export interface Published {
  seq: number;
  at: string;
  topic: string;
  instance: string | null;
  session: string | null;
  runtime: string | null;
  text: string;
}

/** What sessions do together. */
export interface Team {
  on: boolean;
  tasks: Task[];
  moreTasks: number;
  messages: Message[];
  moreMessages: number;
  unread: number;
  sessions: Session[] | null;
  events: { events: Published[]; since: string } | null;
}

/** An entry of `priorities.md`. */
export interface Priority {
  section: "current" | "inputs" | "notes";
  text: string;
  agent: string | null;
  isPersons: boolean;
}

/** What an agent would have in `priorities.md`. */
export interface Proposal {
  id: string;
  agent: string;
  at: string;
  text: string;
  path: string;
  askedBy?: string;
}

/** Where an agent came upon something. */
export interface Evidence {
  type: string;
  seq?: number;
  path?: string;
  line?: number;
  agent: string;
  session: string | null;
  at: string;
}

/** Something that several agents came upon. */
export interface Signal {
  id: string;
  entity: string;
  kind: string;
  agents: string[];
  evidence: Evidence[];
  outcomes: Record<string, number>;
  echo: boolean;
}

/** A protected file that something other than its writer changed. */
export interface Tampered {
  seq: number;
  at: string;
  path: string;
  why: string;
  suspects: { seq: number; instance: string; session: string; tool: string }[];
}

/** A file that is not as its writer left it, with the first of the lines that are new in it or gone. */
export interface Altered {
  path: string;
  isInbox: boolean;
  version: string;
  added: string[];
  gone: string[];
  more: number;
}

/** What the shared context has. */
export interface SharedContext {
  on: boolean;
  dir: string | null;
  mode: "enforce" | "observe" | null;
  priorities: Priority[];
  proposals: Proposal[];
  moreProposals: number;
  roundtable: { date: string; text: string } | null;
  signals: { date: string; signals: Signal[]; more: number } | null;
  pending: Altered[];
  tampered: Tampered[];
}

/** Whether a task needs a person: to be accepted, or to answer what its holder asks. */
export function needsPerson(task: Task): boolean {
  if (task.state === "input-required") return task.by.via === "operator";
  return !task.accepted && ["open", "blocked", "lost", "stalled"].includes(task.state);
}

/** Something that waits for the reader. */
export interface Waiting {
  tab: "tasks" | "messages" | "context";
  id: string;
  text: string;
}

/** What waits for the reader's word, in the order in which it is told. */
export function waitingOf(team: Team | undefined, context: SharedContext | undefined): Waiting[] {
  const tasks = (team?.tasks ?? []).filter(needsPerson);
  const proposals = context?.proposals ?? [];
  const isForPerson = ({ instance, state }: Receipt) => instance === "operator" && state === "sent";
  const mail = (team?.messages ?? []).filter(({ receipts }) => receipts.some(isForPerson));
  return [
    ...tasks.map(({ id, title }): Waiting => ({ tab: "tasks", id, text: title })),
    ...mail.map(({ id, body }): Waiting => ({ tab: "messages", id, text: body })),
    ...proposals.map(({ id, text }): Waiting => ({ tab: "context", id, text })),
  ];
}

/** How a task stands, in words. */
export function taskStands(task: Task): string {
  switch (task.state) {
    case "open":
      return task.accepted ? "open" : "waits to be accepted";
    case "claimed":
      return "being done";
    case "blocked":
      return `waits for ${task.deps.length === 1 ? "another task" : "other tasks"}`;
    case "input-required":
      return "needs an answer";
    case "lost":
      return "whoever had it is gone";
    case "stalled":
      return "nothing heard for long";
    default:
      return task.state;
  }
}

/** What became of a message for one of those that it went to: no more than is known. */
export function receiptSays({ state }: Receipt): string {
  if (state === "acknowledged") return "acknowledged it";
  if (state === "shown") return "was shown it";
  if (state === "expired") return "was not shown it in time";
  return "has not been shown it yet";
}

/** How a session is, as far as anybody knows. */
export function activityOf(session: Session): string {
  if (session.over === "ended") return "ended";
  if (session.over === "gone") return "gone";
  return session.activity ?? "unknown";
}

/** By what sessions are put together. */
export const GROUPS = ["runtime", "project", "instance"] as const;
export type Group = (typeof GROUPS)[number] | "";

/** The name of a session's group. */
export function groupOf(session: { instance: string; runtime?: string; project?: string | null }, group: Group): string {
  if (group === "runtime") return session.runtime || "unknown runtime";
  if (group === "instance") return session.instance;
  return group === "project" ? session.project || "no project known" : "";
}

/** Sessions by their groups: the groups in the order of their first session. */
export function grouped<T>(items: readonly T[], nameOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [item]);
    else known.push(item);
  }
  return [...groups];
}
