// The top line: what this is, whether it is live, and over which window.

import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { rulesSource } from "../model/text.ts";
import { WINDOWS, type WindowId } from "../model/times.ts";
import { Text, When } from "./common.tsx";

/** The page's top line. */
export function Header({ search, keys }: { search: () => void; keys: () => void }) {
  const { api, status } = useApp();
  const now = useNow(10_000);
  const { mode, rules, ruleCount, instanceId } = status ?? {};
  return (
    <header className="top">
      <div className="brand">
        <svg
          viewBox="0 0 24 24"
          width="22"
          height="22"
          fill="none"
          stroke="currentColor"
          strokeWidth="2.4"
          strokeLinecap="round"
          aria-hidden="true"
        >
          <path className="brand-left" d="M10 4.5A7.5 7.5 0 0 0 10 19.5" />
          <path className="brand-right" d="M14 4.5A7.5 7.5 0 0 1 14 19.5" />
          <path d="M2.5 12H21.5" />
        </svg>
        <span className="brand-name">Callosum</span>
        <LinkState />
      </div>
      <dl className="facts">
        {mode !== undefined && (
          <div
            title={
              mode === "enforce"
                ? "Calls are paused and blocked"
                : "Nothing is stopped; the journal records what would have been paused"
            }
          >
            <dt>Mode</dt>
            <dd className="mode" data-mode={mode}>
              {mode}
            </dd>
          </div>
        )}
        {rules !== undefined && (
          <div className="wide-only">
            <dt>Rules</dt>
            <dd>
              {ruleCount}, <Text text={rulesSource(rules.source)} max={48} />
              <span className="muted widest-only">
                , loaded <When at={rules.loadedAt} now={now} style="ago" />
              </span>
            </dd>
          </div>
        )}
        {instanceId !== undefined && (
          <div className="widest-only">
            <dt>{api.boot.host === "openclaw" ? "Gateway" : "Seen from"}</dt>
            <dd>
              <Text text={instanceId} max={32} />
            </dd>
          </div>
        )}
      </dl>
      <WindowChoice />
      <span className="top-tools">
        <Button className="button" onPress={search} aria-label="Search">
          Search <kbd>/</kbd>
        </Button>
        <Button className="button" onPress={keys} aria-label="Keys">
          ?
        </Button>
      </span>
    </header>
  );
}

function LinkState() {
  const { link, expired } = useApp();
  const state = expired ? "expired" : link;
  const words = { live: "Live", connecting: "Connecting", lost: "Reconnecting", expired: "Link expired" }[state];
  return (
    <span className="link" data-link={state} role="status">
      <span className="dot" aria-hidden="true" />
      {words}
    </span>
  );
}

const CHOICES: { id: WindowId; short: string }[] = [{ id: "fit", short: "Fit" }, ...WINDOWS];

function WindowChoice() {
  const { place, chooseWindow } = useApp();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of a form
    <div className="window-choice" role="group" aria-label="Window">
      <span aria-hidden="true">Last</span>
      <span className="segmented">
        {CHOICES.map((window) => (
          <Button
            key={window.id}
            className="segment"
            aria-pressed={place.window === window.id}
            onPress={() => chooseWindow(window.id)}
          >
            {window.short}
          </Button>
        ))}
      </span>
    </div>
  );
}
