// What shapes and colours mean.

import { OUTCOME_NAMES, type Outcome } from "../model/actions.ts";
import type { Tier } from "../model/wire.ts";
import { Shape } from "./mark.tsx";

const ORDER: Outcome[] = ["complete", "failed", "refused", "paused", "blocked", "running", "unknown", "begun"];
const TIERS: [Tier, string][] = [
  [2, "medium risk"],
  [3, "high"],
  [4, "critical"],
];

/** The legend below the timeline. */
export function Legend({ dense }: { dense: boolean }) {
  return (
    <ul className="legend" aria-label="Legend">
      {TIERS.map(([tier, words]) => (
        <li key={tier}>
          <span className="swatch" data-tier={tier} /> tier {tier}: {words}
        </li>
      ))}
      <li>
        <span className="swatch" data-tier={0} /> tier 0–1, at the foot of a lane
      </li>
      {dense ? (
        <li>
          <span className="swatch-paused" /> paused or blocked among them
        </li>
      ) : (
        <>
          {ORDER.map((outcome) => (
            <li key={outcome}>
              <Shape outcome={outcome} /> {OUTCOME_NAMES[outcome]}
            </li>
          ))}
          <li>
            <Shape outcome="complete" observed /> outlined: would have been paused, only observed
          </li>
          <li>
            <svg viewBox="0 0 22 12" width="22" height="12" aria-hidden="true" className="legend-curve">
              <path d="M1 10C10 10 12 2 21 2" />
            </svg>{" "}
            was shown
          </li>
        </>
      )}
    </ul>
  );
}
