// What there is in view, in figures.

import { useMemo } from "react";
import { useApp } from "../hooks/app.ts";
import { figures } from "../model/tally.ts";
import type { Bucket } from "../model/wire.ts";

const NUMBER = new Intl.NumberFormat();

interface Props {
  buckets: Bucket[];
  /** All was counted. */
  complete: boolean;
  /** What is counted begins there: wall-clock milliseconds. */
  from: number;
  stops: number;
  dense: boolean;
}

/** The figures above the timeline. */
export function Figures({ buckets, complete, from, stops, dense }: Props) {
  const { status, go } = useApp();
  const { sessions, calls, significant, paused } = useMemo(() => figures(buckets, from), [buckets, from]);
  const known = complete || buckets.length > 0;
  const held = status?.locks?.length;
  const stopped = dense ? paused : Math.max(paused, stops);
  return (
    <dl className="figures" aria-busy={!complete}>
      <Figure name="Sessions" value={known ? sessions : undefined} complete={complete} />
      <Figure name="Calls" value={known ? calls : undefined} complete={complete} />
      <Figure name="Significant" value={known ? significant : undefined} complete={complete} hint="Tier 2 and above" />
      <Figure
        name="Paused or blocked"
        value={known ? stopped : undefined}
        complete={complete}
        stands={stopped > 0 ? "warn" : undefined}
      />
      <div className="figure" title="Resources that one session holds now">
        <dt>Held now</dt>
        <dd>
          <button type="button" className="plain" title="Show the leases" onClick={() => go({ tab: "leases" })}>
            {held === undefined ? "–" : NUMBER.format(held)}
          </button>
        </dd>
      </div>
    </dl>
  );
}

function Figure({
  name,
  value,
  complete,
  hint,
  stands,
}: {
  name: string;
  value: number | undefined;
  /** False: it is of a part only, and says so. */
  complete: boolean;
  hint?: string;
  stands?: "warn" | undefined;
}) {
  return (
    <div className="figure" data-stands={stands} title={hint}>
      <dt>{name}</dt>
      <dd>
        {value === undefined ? "–" : NUMBER.format(value)}
        {value !== undefined && !complete && <span title="Still counting"> …</span>}
      </dd>
    </div>
  );
}
