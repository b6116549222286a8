// The journal: all records, newest first, with filters.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { useMedia, useNow, useSettled } from "../hooks/shared.ts";
import { useJournal } from "../hooks/use-journal.ts";
import { MOST_RECORDS } from "../model/records.ts";
import { isFiltered, NO_FILTERS } from "../model/url-state.ts";
import type { JournalRecord } from "../model/wire.ts";
import { Empty, Failure, Skeleton } from "./common.tsx";
import { Export } from "./export.tsx";
import { JournalFilters } from "./journal-filters.tsx";
import { JournalRow } from "./journal-row.tsx";

const ROW = 34;
const CARD = 84;
/** Rows from the end at which older ones are asked for. */
const AHEAD = 40;

/** The tab "Journal". */
export function Journal() {
  const { place, go, status } = useApp();
  const filters = useSettled(place.filters, 250);
  const now = useNow(30_000);
  const cards = useMedia("(max-width: 860px)");
  const scroller = useRef<HTMLElement>(null);
  const [atTop, setAtTop] = useState(true);
  const { records, waiting, showWaiting, more, loading, error, loadMore } = useJournal(filters, !atTop);
  const size = cards ? CARD : ROW;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new filter begins at the top
  useEffect(() => {
    // In newer browsers it returns a promise, and React would call what an effect returns.
    void scroller.current?.scrollTo({ top: 0 });
  }, [filters]);
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    overscan: 16,
    getItemKey: (place) => records[place]?.seq ?? place,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size of the rows is the reason
  useEffect(() => {
    rows.measure();
  }, [size]);
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && !loading && error === undefined && last >= records.length - AHEAD) loadMore();
  }, [last, records.length, more, loading, error, loadMore]);

  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const total = status?.journal?.lines;
  const filtered = isFiltered(filters);
  const goTo = (place: number) => {
    rows.scrollToIndex(Math.max(0, Math.min(records.length - 1, place)));
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-place="${place}"] button`)?.focus());
  };
  return (
    <section className="journal" aria-label="Journal">
      <JournalFilters
        filters={place.filters}
        change={(change) => go({ filters: { ...place.filters, ...change } })}
        clear={() => go({ filters: NO_FILTERS })}
      />
      {error !== undefined && <Failure what="The journal can't be read" error={error} retry={loadMore} />}
      {waiting.length > 0 && !atTop && (
        <Button
          className="pill"
          onPress={() => {
            showWaiting();
            scroller.current?.scrollTo({ top: 0 });
          }}
        >
          ↑ {waiting.length} new
        </Button>
      )}
      <section
        className="records"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        tabIndex={0}
        aria-label="Records"
        onScroll={(event) => setAtTop(event.currentTarget.scrollTop < ROW / 2)}
      >
        <table className="table journal-table" aria-rowcount={more ? -1 : records.length + 1}>
          <caption className="sr-only">Records of the journal, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">What</th>
              <th scope="col">Tier</th>
              <th scope="col">Tool</th>
              <th scope="col">Resource</th>
              <th scope="col">Who</th>
              <th scope="col">Rule</th>
              <th scope="col">Reason or parameters</th>
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Space height={above} />}
            {items.map((item) => {
              const record = records[item.index];
              return record === undefined ? null : (
                <JournalRow key={record.seq} record={record} place={item.index} now={now} goTo={goTo} />
              );
            })}
            {below > 0 && <Space height={below} />}
          </tbody>
        </table>
        {records.length === 0 && !loading && error === undefined && (
          <NoRecords filtered={filtered} clear={() => go({ filters: NO_FILTERS })} />
        )}
        {records.length === 0 && loading && error === undefined && <Skeleton rows={12} label="The journal is being searched" />}
        {records.length > 0 && (
          <p className="journal-end muted" role="status">
            {loading
              ? "Looking further back …"
              : records.length >= MOST_RECORDS
                ? `${MOST_RECORDS.toLocaleString()} records are loaded, and there are more. Use filters to see older ones.`
                : more
                  ? ""
                  : filtered
                    ? "Nothing older matches."
                    : "The journal begins here."}
          </p>
        )}
      </section>
      <p className="muted foot list-head">
        <span>
          {records.length.toLocaleString()} {filtered ? "matching " : ""}records loaded
          {total !== undefined && ` of ${total.toLocaleString()} in the journal`}
        </span>
        {records.length > 0 && <Export name="journal" rows={() => records.map(rowOf)} />}
      </p>
    </section>
  );
}

function rowOf(record: JournalRecord) {
  const { seq, timestamp, action, tier, tool, session, instance, runtime, machine, ruleName, exitCode, reason, params } = record;
  const keys = record.contextKeys ?? (record.contextKey === undefined ? [] : [record.contextKey]);
  return { seq, timestamp, action, tier, tool, keys, session, instance, runtime, machine, ruleName, exitCode, reason, params };
}

function Space({ height }: { height: number }) {
  return (
    <tr className="space">
      <td colSpan={8} style={{ height }} />
    </tr>
  );
}

function NoRecords({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  if (!filtered)
    return (
      <Empty title="The journal is empty">
        <p>Every tool call of a session leaves a line here. To check whether calls pass the gate at all, run:</p>
        <pre className="command">callosum doctor --canary</pre>
      </Empty>
    );
  return (
    <Empty title="No record matches">
      <p>The whole journal was searched.</p>
      <Button className="button" onPress={clear}>
        Clear the filters
      </Button>
    </Empty>
  );
}
