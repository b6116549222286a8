// One record of the journal.

import { memo } from "react";
import { useApp } from "../hooks/app.ts";
import type { Outcome } from "../model/actions.ts";
import { firstLine } from "../model/records.ts";
import type { JournalRecord } from "../model/wire.ts";
import { Keys, Text, TierBadge, When, Who } from "./common.tsx";
import { Shape } from "./mark.tsx";

/** What a record says happened: in a word, and the shape for it where it has one. */
export function happened(record: JournalRecord): { word: string; shape: Outcome | undefined } {
  switch (record.action) {
    case "intercept":
      if (record.onConflict === "ask" && !record.observed) return { word: "asked", shape: "begun" };
      if (record.onConflict === "note") return { word: "noted", shape: "begun" };
      if (record.observed) return { word: "observed", shape: "begun" };
      return { word: (record.evidence?.length ?? 0) > 0 ? "retried" : "started", shape: "begun" };
    case "blocked":
      return isBlock(record) ? { word: "blocked", shape: "blocked" } : { word: "paused", shape: "paused" };
    case "denied":
      return { word: "denied", shape: "refused" };
    case "delivered":
      return { word: "pause read", shape: undefined };
    case "running":
    case "complete":
    case "failed":
    case "refused":
    case "unknown":
      return { word: record.action, shape: record.action };
    default:
      return { word: record.action, shape: undefined };
  }
}

/** A retry does not help: by a lease, a limit or the rule. */
function isBlock({ conflict, onConflict }: JournalRecord): boolean {
  return conflict === "lease" || conflict === "limit" || onConflict === "block";
}

interface RowProps {
  record: JournalRecord;
  place: number;
  now: number;
  goTo(place: number): void;
}

/** A row that opens the story of its resource. */
export const JournalRow = memo(
  function JournalRow({ record, place, now, goTo }: RowProps) {
    const { openStory } = useApp();
    const { word, shape } = happened(record);
    const keys = record.contextKeys ?? (record.contextKey === undefined ? [] : [record.contextKey]);
    const line = keys.length === 0 ? firstLine(record) : undefined;
    const detail = record.reason ?? (line === undefined ? record.params : undefined) ?? "";
    return (
      <tr data-place={place} aria-rowindex={place + 2} data-what={word}>
        <td className="c-time">
          <When at={record.timestamp} now={now} style="moment" />
        </td>
        <td className="c-what">
          <button
            type="button"
            className="row-button"
            onClick={() => openStory({ keys, seq: record.seq })}
            onKeyDown={(event) => {
              const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
              if (step === 0) return;
              event.preventDefault();
              goTo(place + step);
            }}
          >
            <span className="outcome" data-outcome={shape} data-tier={record.tier}>
              {shape === undefined ? (
                <span className="no-shape" />
              ) : (
                <Shape outcome={shape} observed={record.observed === true} />
              )}
              <Text text={word} max={24} />
              {record.exitCode !== undefined && record.exitCode !== 0 && <span className="muted"> {record.exitCode}</span>}
            </span>
          </button>
        </td>
        <td className="c-tier">
          <TierBadge tier={record.tier} />
        </td>
        <td className="c-tool">{record.tool !== undefined && <Text text={record.tool} max={48} />}</td>
        <td className="c-key">{line === undefined ? <Keys keys={keys} max={90} /> : <Text text={line} max={120} />}</td>
        <td className="c-who">
          <Who session={record.session} machine={record.machine} instance={record.instance} />
        </td>
        <td className="c-rule">{record.ruleName !== undefined && <Text text={record.ruleName} max={40} />}</td>
        <td className="c-detail">
          <Text text={detail} max={160} />
        </td>
      </tr>
    );
  },
  (before, after) => before.record === after.record && before.place === after.place && before.now === after.now,
);
