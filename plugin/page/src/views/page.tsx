// The page: header, tabs and the story that lies over them.

import { Component, type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { Api, type AskError } from "../api.ts";
import type { Boot } from "../boot.ts";
import { type App, AppContext } from "../hooks/app.ts";
import { useLatest } from "../hooks/shared.ts";
import { useHead, usePlace, useStatus } from "../hooks/use-core.ts";
import { useTogether } from "../hooks/use-together.ts";
import type { WindowId } from "../model/times.ts";
import { waitingOf } from "../model/together.ts";
import { type Subject, TABS, type TabId } from "../model/url-state.ts";
import { Banners } from "./banners.tsx";
import { Notice } from "./common.tsx";
import { Context } from "./context.tsx";
import { Coverage } from "./coverage.tsx";
import { Discoveries } from "./discoveries.tsx";
import { Header } from "./header.tsx";
import { Journal } from "./journal.tsx";
import { KeysDialog } from "./keys.tsx";
import { Leases } from "./leases.tsx";
import { Messages } from "./messages.tsx";
import { Rules } from "./rules.tsx";
import { SearchDialog } from "./search.tsx";
import { Sessions } from "./sessions.tsx";
import { StoryPanel } from "./story.tsx";
import { Tasks } from "./tasks.tsx";
import { Timeline } from "./timeline.tsx";

const NAMES: Record<TabId, string> = {
  timeline: "Timeline",
  leases: "Leases",
  sessions: "Sessions",
  tasks: "Tasks",
  messages: "Messages",
  discoveries: "Discoveries",
  context: "Context",
  journal: "Journal",
  rules: "Rules",
  coverage: "Coverage",
};

const VIEWS: Record<TabId, () => ReactNode> = {
  timeline: Timeline,
  leases: Leases,
  sessions: Sessions,
  tasks: Tasks,
  messages: Messages,
  discoveries: Discoveries,
  context: Context,
  journal: Journal,
  rules: Rules,
  coverage: Coverage,
};

/** The whole page. */
export function Page({ boot }: { boot: Boot }) {
  const api = useMemo(() => new Api(boot), [boot]);
  const { head, link } = useHead(api);
  const [expired, setExpired] = useState(false);
  const report = useCallback((error: AskError) => setExpired((before) => before || error.code === "unauthorized"), []);
  const { status, error: statusError, refresh } = useStatus(api, head, report);
  const together = useTogether(api, head, report);
  const [place, go, closeStory] = usePlace(boot.view === "leases" ? "leases" : "timeline");
  const openStory = useCallback((story: Subject) => go({ story }), [go]);
  const [windowTurn, setWindowTurn] = useState(0);
  const chooseWindow = useCallback(
    (window: WindowId) => {
      go({ window });
      setWindowTurn((turn) => turn + 1);
    },
    [go],
  );
  const core = useMemo(
    () => ({ api, head, link, expired, report, status, statusError, refresh }),
    [api, head, link, expired, report, status, statusError, refresh],
  );
  const app = useMemo<App>(
    () => ({ ...core, place, go, chooseWindow, windowTurn, openStory, closeStory, together }),
    [core, place, go, chooseWindow, windowTurn, openStory, closeStory, together],
  );
  const tabs = useTabs(app);
  const [over, setOver] = useState<"keys" | "search">();
  useKeys(tabs, go, place.story === undefined && over === undefined, setOver);
  const counts = useCounts(app);
  return (
    <AppContext value={app}>
      <Header search={() => setOver("search")} keys={() => setOver("keys")} />
      <main>
        <h1 className="sr-only">Callosum: what all sessions on this machine do</h1>
        <Banners />
        <Tabs className="tabs" selectedKey={place.tab} onSelectionChange={(tab) => go({ tab: tab as TabId })}>
          <TabList className="tab-list" aria-label="Views">
            {tabs.map((tab) => (
              <Tab className="tab" id={tab} key={tab}>
                {NAMES[tab]}
                {(counts[tab] ?? 0) > 0 && <span className="count">{counts[tab]}</span>}
              </Tab>
            ))}
          </TabList>
          {tabs.map((tab) => {
            const View = VIEWS[tab];
            return (
              <TabPanel className="panel" id={tab} key={tab}>
                <View />
              </TabPanel>
            );
          })}
        </Tabs>
      </main>
      {place.story !== undefined && <StoryPanel subject={place.story} key={place.story.seq ?? place.story.keys[0]} />}
      {over === "keys" && <KeysDialog close={() => setOver(undefined)} />}
      {over === "search" && <SearchDialog close={() => setOver(undefined)} />}
    </AppContext>
  );
}

/** The tabs that have something to show, or are what the reader asked for by the address. */
function useTabs({ together, place }: App): TabId[] {
  const { team, context, contextError } = together;
  const isTeam = team !== undefined && (team.on || team.tasks.length > 0 || team.messages.length > 0);
  const isContext = context?.on === true || contextError !== undefined;
  const { tab: chosen } = place;
  return useMemo(
    () =>
      TABS.filter((tab) => {
        if (tab === chosen) return true;
        if (tab === "tasks" || tab === "messages" || tab === "discoveries") return isTeam;
        return tab !== "context" || isContext;
      }),
    [chosen, isTeam, isContext],
  );
}

/** How many things on a tab want to be seen. */
function useCounts({ status, together }: App): Partial<Record<TabId, number>> {
  const { team, context } = together;
  const held = status?.locks?.length ?? 0;
  return useMemo(() => {
    const waiting = waitingOf(team, context);
    const on = (tab: TabId) => waiting.filter((one) => one.tab === tab).length;
    return {
      leases: held,
      tasks: on("tasks"),
      messages: on("messages"),
      context: on("context") + (context?.pending.length ?? 0),
    };
  }, [held, team, context]);
}

/** Keys for the whole page, where nothing lies over it and nobody types. */
function useKeys(tabs: readonly TabId[], go: App["go"], isFree: boolean, open: (what: "keys" | "search") => void): void {
  const latest = useLatest({ tabs, isFree });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { tabs, isFree } = latest.current;
      if (!isFree || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as Element | null)?.closest?.("input, textarea, select, [role=dialog], [role=alertdialog]")) return;
      const tab = /^[1-9]$/.test(event.key) ? tabs[Number(event.key) - 1] : undefined;
      if (event.key === "?") open("keys");
      else if (event.key === "/") open("search");
      else if (tab !== undefined) go({ tab });
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [latest, go, open]);
}

/** The document did not come from a server that knows this page. */
export function Unbooted() {
  return (
    <main>
      <Notice kind="error" title="This page was not opened through Callosum">
        Open it in OpenClaw's Control UI, under Callosum; or run <code>callosum ui</code> in a terminal and open the link that it
        prints.
      </Notice>
    </main>
  );
}

/** What is shown when a part of the page fails: nothing of the journal depends on it. */
export class Broken extends Component<{ children: ReactNode }, { failure: string | undefined }> {
  override state: { failure: string | undefined } = { failure: undefined };
  static getDerivedStateFromError(error: unknown) {
    return { failure: String(error) };
  }
  override render() {
    if (this.state.failure === undefined) return this.props.children;
    return (
      <main>
        <Notice kind="error" title="The page has failed">
          Reload it. Sessions and the journal are not affected. What went wrong: {this.state.failure.slice(0, 500)}
        </Notice>
      </main>
    );
  }
}
