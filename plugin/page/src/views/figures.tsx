// What there is in view, in figures.

import { useApp } from "../hooks/app.ts";
import type { View } from "../hooks/use-view.ts";
import { figures } from "../model/tally.ts";
import type { Bucket } from "../model/wire.ts";

const NUMBER = new Intl.NumberFormat();

/** The figures above the timeline. */
export function Figures({ buckets, view, stops, dense }: { buckets: Bucket[]; view: View; stops: number; dense: boolean }) {
  const { status, go } = useApp();
  const { sessions, calls, significant, paused } = figures(buckets, view.span.from);
  const held = status?.locks?.length;
  const stopped = dense ? paused : Math.max(paused, stops);
  return (
    <dl className="figures">
      <Figure name="Sessions" value={sessions} />
      <Figure name="Calls" value={calls} />
      <Figure name="Significant" value={significant} hint="Tier 2 and above" />
      <Figure name="Paused or blocked" value={stopped} stands={stopped > 0 ? "warn" : undefined} />
      <div className="figure" title="Resources that one session holds now">
        <dt>Held now</dt>
        <dd>
          <button type="button" className="plain" onClick={() => go({ tab: "leases" })}>
            {held === undefined ? "–" : NUMBER.format(held)}
          </button>
        </dd>
      </div>
    </dl>
  );
}

function Figure({ name, value, hint, stands }: { name: string; value: number; hint?: string; stands?: "warn" | undefined }) {
  return (
    <div className="figure" data-stands={stands} title={hint}>
      <dt>{name}</dt>
      <dd>{NUMBER.format(value)}</dd>
    </div>
  );
}
