// The shapes that tell what came of a call. Colour tells the tier only.

import { OUTCOME_NAMES, type Outcome } from "../model/actions.ts";

const FILLED: Partial<Record<Outcome, string>> = {
  begun: "M8 4.5L11.5 8L8 11.5L4.5 8Z",
  complete: "M8 3A5 5 0 0 1 8 13A5 5 0 0 1 8 3Z",
  paused: "M4 3H7V13H4ZM9 3H12V13H9Z",
  running: "M4.5 2.5L13 8L4.5 13.5Z",
};
const DRAWN: Partial<Record<Outcome, string>> = {
  failed: "M4 4L12 12M12 4L4 12",
  refused: "M8 2.8A5.2 5.2 0 0 1 8 13.2A5.2 5.2 0 0 1 8 2.8ZM4.4 11.6L11.6 4.4",
  blocked: "M3 3H13V13H3ZM6.5 6.5H9.5V9.5H6.5Z",
  unknown: "M5 5.6A3 3 0 1 1 9.4 8.1C8.4 8.7 8 9.1 8 10.2M8 12.9V13",
};

/** The shape of an outcome, 16 by 16. An observed call's is only outlined. */
export function Shape({ outcome, observed = false }: { outcome: Outcome; observed?: boolean }) {
  const filled = FILLED[outcome];
  return (
    <svg className="shape" data-outlined={observed || undefined} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {filled === undefined ? <path className="drawn" d={DRAWN[outcome]} /> : <path className="filled" d={filled} />}
    </svg>
  );
}

/** An outcome: its shape and its name. */
export function OutcomeLabel({
  outcome,
  observed = false,
  exitCode,
}: {
  outcome: Outcome;
  observed?: boolean;
  exitCode?: number | undefined;
}) {
  return (
    <span className="outcome" data-outcome={outcome}>
      <Shape outcome={outcome} observed={observed} />
      {OUTCOME_NAMES[outcome]}
      {exitCode !== undefined && exitCode !== 0 && <span className="muted"> exit {exitCode}</span>}
    </span>
  );
}
