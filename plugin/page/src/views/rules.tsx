// The rules in force, how often each was for a call, and what a call would get.

import { useCallback, useEffect, useMemo, useState } from "react";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { SearchField } from "react-aria-components/SearchField";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { useAnswer, useRetry } from "../hooks/use-core.ts";
import { useTally } from "../hooks/use-tally.ts";
import { rulesSource } from "../model/text.ts";
import { DAY, duration, HOUR, windowLabel, windowMs } from "../model/times.ts";
import type { Rule, RuleBook, RuleCount } from "../model/wire.ts";
import { Empty, Failure, LongText, Notice, Skeleton, Text, TierBadge, When } from "./common.tsx";
import { WouldGet } from "./explain-form.tsx";

/** The tab "Rules". */
export function Rules() {
  const { place } = useApp();
  const now = useNow(30_000);
  const { book, error, retry } = useRules();
  const [wanted, setWanted] = useState("");
  const length = windowMs(place.window);
  const step = length >= DAY ? HOUR : length / 12;
  const to = Math.floor(now / 60_000) * 60_000;
  const { tally, complete, error: countError, retry: countAgain } = useTally({ from: to - length, to: to + 120_000 }, step);
  const counts = useMemo(() => new Map(tally.rules.map((count) => [count.rule, count])), [tally]);
  const rules = useMemo(() => (book?.rules ?? []).filter((rule) => matches(rule, wanted)), [book, wanted]);
  const label = windowLabel(place.window);
  const none = counts.get(null);
  return (
    <section aria-label="Rules" className="rules">
      <WouldGet />
      {error !== undefined && <Failure what="The rules can't be loaded" error={error} retry={retry} />}
      {countError !== undefined && <Failure what="The calls can't be counted" error={countError} retry={countAgain} />}
      {book?.error && (
        <Notice kind="error" title="The rules file can't be used: the rules below were loaded before it, and stay in force">
          <LongText text={book.error} />
        </Notice>
      )}
      {book === undefined && error === undefined && <Skeleton rows={8} label="The rules are loading" />}
      {book !== undefined && (
        <>
          <div className="rules-head">
            <h2>
              {book.rules.length} rules{" "}
              <span className="muted">
                (<Text text={rulesSource(book.source)} max={120} />
                ), loaded <When at={book.loadedAt} now={now} style="ago" />. The first that matches wins.
              </span>
            </h2>
            <SearchField className="field search" value={wanted} onChange={setWanted} aria-label="Filter the rules">
              <Label className="sr-only">Filter the rules</Label>
              <Input placeholder="Filter: name, tool, command, key" />
            </SearchField>
          </div>
          {rules.length === 0 ? (
            <Empty title="No rule matches" />
          ) : (
            <table className="table rules-table">
              <caption className="sr-only">Rules in the order of matching, with the calls of the last {label}</caption>
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col">Tier</th>
                  <th scope="col">Matches</th>
                  <th scope="col">Resource</th>
                  <th scope="col" className="number">
                    Calls{complete ? "" : " …"}
                  </th>
                  <th scope="col" className="number">
                    Paused
                  </th>
                  <th scope="col" className="number">
                    Blocked
                  </th>
                  <th scope="col">Last</th>
                </tr>
              </thead>
              <tbody>
                {rules.map((rule) => (
                  <RuleRow key={rule.name} rule={rule} count={counts.get(rule.name)} now={now} />
                ))}
              </tbody>
            </table>
          )}
          <p className="muted foot">
            Counted over the last {label}.
            {none !== undefined && ` No rule matched ${none.calls.toLocaleString()} calls: they have tier 0.`}
          </p>
        </>
      )}
    </section>
  );
}

/** The rules, asked for again whenever others are loaded. */
function useRules() {
  const { api, report, status } = useApp();
  const ask = useCallback(() => api.ask("rules", {}), [api]);
  const { answer: book, error, load } = useAnswer<RuleBook>(ask, report);
  const version = `${status?.rules?.loadedAt} ${status?.rules?.error}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rules are the reason to ask again
  useEffect(() => {
    void load();
  }, [load, version]);
  useRetry(() => {
    if (error !== undefined) void load();
  });
  return { book, error, retry: load };
}

function matches(rule: Rule, wanted: string): boolean {
  const words = wanted.trim().toLowerCase().split(/\s+/);
  const text = [
    rule.name,
    `tier ${rule.tier}`,
    rule.own ? "own" : "shipped",
    ...rule.tool,
    ...rule.command,
    ...rule.where,
    ...rule.contextKey,
  ]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

const FEW_COMMANDS = 3;

function RuleRow({ rule, count, now }: { rule: Rule; count: RuleCount | undefined; now: number }) {
  const { go, place } = useApp();
  const commands = rule.command.slice(0, FEW_COMMANDS);
  const special = [
    rule.mode === "observe" ? rule.mode : "",
    rule.scope === "otherSessions" ? "other sessions only" : "",
    rule.onConflict === undefined ? "" : `on a conflict: ${rule.onConflict}`,
    rule.limit === undefined ? "" : `at most ${rule.limit.count} in ${duration(rule.limit.windowMs)} per ${rule.limit.per}`,
    rule.reach === undefined ? "" : `reach ${rule.reach}`,
    rule.recentWindowMs ? `looks back ${duration(rule.recentWindowMs)}` : "",
    rule.lockExpiryMs ? `holds for ${duration(rule.lockExpiryMs)}` : "",
  ].filter((words) => words !== "");
  return (
    <tr>
      <td data-label="Rule" className="rule-name">
        <Text text={rule.name} max={80} />
        {rule.own && <span className="own">own</span>}
        {special.length > 0 && <div className="rule-note">{special.join(" · ")}</div>}
        {rule.comment && (
          <div className="rule-note">
            <Text text={rule.comment} max={200} />
          </div>
        )}
      </td>
      <td data-label="Tier">
        <TierBadge tier={rule.tier} />
      </td>
      <td data-label="Matches" className="rule-matches">
        {commands.length > 0 ? (
          <>
            {commands.map((command) => (
              <code key={command}>
                <Text text={command} max={90} />
              </code>
            ))}
            {rule.command.length > FEW_COMMANDS && (
              <details>
                <summary>{rule.command.length - FEW_COMMANDS} more</summary>
                {rule.command.slice(FEW_COMMANDS).map((command) => (
                  <code key={command}>
                    <Text text={command} max={300} />
                  </code>
                ))}
              </details>
            )}
          </>
        ) : (
          <code>
            <Text text={rule.tool.length === 0 ? "tools by their names' words" : rule.tool.join(", ")} max={90} />
          </code>
        )}
        {rule.where.map((condition) => (
          <div key={condition} className="rule-note">
            <Text text={condition} max={120} />
          </div>
        ))}
      </td>
      <td data-label="Resource">
        {rule.contextKey.map((key) => (
          <code key={key}>
            <Text text={key} max={90} />
          </code>
        ))}
      </td>
      <Count name="Calls" value={count?.calls} />
      <Count name="Paused" value={count?.paused} />
      <Count name="Blocked" value={count?.blocked} />
      <td data-label="Last" className="nowrap">
        {count !== undefined && count.last > 0 ? (
          <button
            type="button"
            className="plain"
            onClick={() => go({ tab: "journal", filters: { ...place.filters, text: rule.name } })}
          >
            <When at={count.last} now={now} style="ago" />
          </button>
        ) : (
          <span className="muted">–</span>
        )}
      </td>
    </tr>
  );
}

function Count({ name, value }: { name: string; value: number | undefined }) {
  return (
    <td data-label={name} className="number">
      {value === undefined || value === 0 ? <span className="muted">–</span> : value.toLocaleString()}
    </td>
  );
}
