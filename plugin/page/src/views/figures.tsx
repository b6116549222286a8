// What there is in view, in figures.

import { useMemo } from "react";
import { useApp } from "../hooks/app.ts";
import { figures } from "../model/tally.ts";
import type { Bucket } from "../model/wire.ts";

const NUMBER = new Intl.NumberFormat();

interface Props {
  buckets: Bucket[];
  /** Something was counted. */
  known: boolean;
  /** What is counted begins there: wall-clock milliseconds. */
  from: number;
  stops: number;
  dense: boolean;
}

/** The figures above the timeline. */
export function Figures({ buckets, known, from, stops, dense }: Props) {
  const { status, go } = useApp();
  const { sessions, calls, significant, paused } = useMemo(() => figures(buckets, from), [buckets, from]);
  const held = status?.locks?.length;
  const stopped = dense ? paused : Math.max(paused, stops);
  return (
    <dl className="figures" aria-busy={!known}>
      <Figure name="Sessions" value={known ? sessions : undefined} />
      <Figure name="Calls" value={known ? calls : undefined} />
      <Figure name="Significant" value={known ? significant : undefined} hint="Tier 2 and above" />
      <Figure name="Paused or blocked" value={known ? stopped : undefined} stands={stopped > 0 ? "warn" : undefined} />
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
  hint,
  stands,
}: {
  name: string;
  value: number | undefined;
  hint?: string;
  stands?: "warn" | undefined;
}) {
  return (
    <div className="figure" data-stands={stands} title={hint}>
      <dt>{name}</dt>
      <dd>{value === undefined ? "–" : NUMBER.format(value)}</dd>
    </div>
  );
}
