// The live leases: what one session holds alone now.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { AskError } from "../api.ts";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { asAskError } from "../hooks/use-core.ts";
import { holdersOf } from "../model/leases.ts";
import { countdown, duration, msOf, SECOND } from "../model/times.ts";
import type { Lease } from "../model/wire.ts";
import { Empty, Failure, KeyName, Notice, Skeleton, Text, TierBadge, When, Who } from "./common.tsx";
import { Export } from "./export.tsx";
import { ReleaseDialog } from "./release.tsx";

/** The tab "Leases". */
export function Leases() {
  const { api, status, statusError, refresh } = useApp();
  const now = useNow(SECOND);
  /** The resource whose release is asked about. */
  const [asked, setAsked] = useState<string>();
  const [told, setTold] = useState<{ key: string; count: number } | AskError>();
  const mayRelease = api.boot.release !== null;
  if (status === undefined) return statusError === undefined ? <Skeleton rows={3} label="The leases are loading" /> : null;
  const leases = status.locks ?? [];
  const release = async (key: string) => {
    try {
      const answer = await api.release(key);
      setTold({ key: answer.key, count: answer.released.length });
    } catch (thrown) {
      setTold(asAskError(thrown));
    }
    setAsked(undefined);
    refresh();
  };
  return (
    <section aria-label="Leases">
      {told !== undefined &&
        (told instanceof Error ? (
          <NotReleased error={told} />
        ) : (
          <Notice kind="info" title={told.count === 0 ? "Nobody held it any longer" : "Released"}>
            <KeyName name={told.key} />
          </Notice>
        ))}
      {leases.length === 0 ? (
        <Empty title="Nobody holds anything now">
          <p>
            A call of tier 3 or 4 (a mail, a push, a change of the gateway) holds the resources it acts on while it runs.
            Meanwhile another call of tier 3 on the same resource is paused and shown it, and one of tier 4 is blocked. A lease
            ends with its call, with the process that made it, or when its time runs out.
          </p>
        </Empty>
      ) : (
        <table className="table leases">
          <caption className="sr-only">Resources that are held now</caption>
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">Held by</th>
              <th scope="col">Call</th>
              <th scope="col">Since</th>
              <th scope="col">Expires in</th>
              {mayRelease && (
                <th scope="col">
                  <span className="sr-only">Release</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {leases.map((lease) => (
              <LeaseRow
                key={`${lease.contextKey} ${lease.instance} ${lease.session} ${lease.since}`}
                lease={lease}
                now={now}
                ask={mayRelease ? setAsked : undefined}
              />
            ))}
          </tbody>
        </table>
      )}
      {leases.length > 0 && <Export name="leases" rows={() => leases.map((lease) => ({ ...lease }))} />}
      {!mayRelease && leases.length > 0 && (
        <p className="muted foot">
          {api.boot.host === "openclaw"
            ? "Operators with write access can release leases in the tab “Callosum leases”."
            : "Leases can't be released from this page."}
        </p>
      )}
      {asked !== undefined && (
        <ReleaseDialog name={asked} holders={holdersOf(leases, asked)} release={release} close={() => setAsked(undefined)} />
      )}
    </section>
  );
}

/** Without an answer nobody knows whether the release came through. */
function NotReleased({ error }: { error: AskError }) {
  if (error.code !== "unreachable") return <Failure what="Nothing was released" error={error} />;
  return (
    <Notice kind="error" title="It is not known whether the lease was released">
      The server did not answer. Once it is back, the list shows who still holds the resource.
    </Notice>
  );
}

function LeaseRow({ lease, now, ask }: { lease: Lease; now: number; ask: ((key: string) => void) | undefined }) {
  const { openStory } = useApp();
  const since = msOf(lease.since);
  const until = msOf(lease.expiresAt);
  const share = Math.min(1, Math.max(0, (until - now) / Math.max(1, until - since)));
  return (
    <tr>
      <td data-label="Resource">
        <Button className="plain" onPress={() => openStory({ keys: [lease.contextKey] })}>
          <KeyName name={lease.contextKey} />
        </Button>
      </td>
      <td data-label="Held by">
        <Who session={lease.session} machine={lease.machine} instance={lease.instance} />
      </td>
      <td data-label="Call">
        <TierBadge tier={lease.tier} /> <Text text={lease.tool} max={60} />
      </td>
      <td data-label="Since">
        <When at={lease.since} now={now} style="moment" /> <span className="muted">({duration(Math.max(0, now - since))})</span>
      </td>
      <td data-label="Expires in">
        <span className="countdown">
          {until > now ? countdown(until - now) : "any moment"}
          <span className="countdown-bar" aria-hidden="true">
            <span style={{ transform: `scaleX(${share})` }} />
          </span>
        </span>
      </td>
      {ask !== undefined && (
        <td className="side">
          <Button className="button danger" onPress={() => ask(lease.contextKey)}>
            Release …
          </Button>
        </td>
      )}
    </tr>
  );
}
