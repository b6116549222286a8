// What a race tells its processes, and what they answer: one JSON object a line.

export type Order =
  | { do: "open"; config: Record<string, unknown> }
  | { do: "maintain" }
  | { do: "close" }
  | {
      do: "race";
      round: number;
      /** Whom the mail goes to: the resource everybody is after. */
      to: string;
      /** When to try, by the monotonic clock. */
      startUs: number;
      /** How long the allowed one takes. */
      workUs: number;
      /** How many calls of tier 1 and 2 come first. */
      side: number;
    };

export interface RaceLog {
  did: "race";
  name: string;
  pid: number;
  round: number;
  call: string;
  session: string;
  allowed: boolean;
  /** Why not. */
  text: string | null;
  /** The verdict took a worker thread. */
  waited: boolean;
  /** Before and after the verdict, by the monotonic clock. */
  fromUs: number;
  toUs: number;
  side: Array<{ call: string; tier: number; allowed: boolean }>;
  /** Lines for the operator. */
  notices: string[];
}

export type Did = { did: "open" | "maintain" | "close" } | RaceLog;
