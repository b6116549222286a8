// What there is in view, in figures.

import { useMemo } from "react";
import { figures } from "../model/tally.ts";
import type { Bucket } from "../model/wire.ts";

const NUMBER = new Intl.NumberFormat();

interface Props {
  buckets: Bucket[];
  /** All was counted. */
  complete: boolean;
  /** What is counted begins there: wall-clock milliseconds. */
  from: number;
}

/** The figures above the timeline. */
export function Figures({ buckets, complete, from }: Props) {
  const { sessions, calls, significant } = useMemo(() => figures(buckets, from), [buckets, from]);
  const known = complete || buckets.length > 0;
  return (
    <dl className="figures" aria-busy={!complete}>
      <Figure name="Sessions" value={known ? sessions : undefined} complete={complete} />
      <Figure name="Calls" value={known ? calls : undefined} complete={complete} />
      <Figure name="Significant" value={known ? significant : undefined} complete={complete} hint="Tier 2 and above" />
    </dl>
  );
}

function Figure({
  name,
  value,
  complete,
  hint,
}: {
  name: string;
  value: number | undefined;
  /** False: it is of a part only, and says so. */
  complete: boolean;
  hint?: string;
}) {
  return (
    <div className="figure" title={hint}>
      <dt>{name}</dt>
      <dd>
        {value === undefined ? "–" : NUMBER.format(value)}
        {value !== undefined && !complete && <span title="Still counting"> …</span>}
      </dd>
    </div>
  );
}
