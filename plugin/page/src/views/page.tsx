// The page: header, tabs and the story that lies over them.

import { Component, type ReactNode, useCallback, useMemo, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { Api, type AskError } from "../api.ts";
import type { Boot } from "../boot.ts";
import { type App, AppContext, type Subject } from "../hooks/app.ts";
import { useHead, usePlace, useStatus } from "../hooks/use-core.ts";
import type { WindowId } from "../model/times.ts";
import { TABS, type TabId } from "../model/url-state.ts";
import { Banners } from "./banners.tsx";
import { Notice } from "./common.tsx";
import { Coverage } from "./coverage.tsx";
import { Header } from "./header.tsx";
import { Journal } from "./journal.tsx";
import { Leases } from "./leases.tsx";
import { Rules } from "./rules.tsx";
import { StoryPanel } from "./story.tsx";
import { Timeline } from "./timeline.tsx";

const NAMES: Record<TabId, string> = {
  timeline: "Timeline",
  leases: "Leases",
  journal: "Journal",
  rules: "Rules",
  coverage: "Coverage",
};

/** The whole page. */
export function Page({ boot }: { boot: Boot }) {
  const api = useMemo(() => new Api(boot), [boot]);
  const { head, link } = useHead(api);
  const [expired, setExpired] = useState(false);
  const report = useCallback((error: AskError) => setExpired((before) => before || error.code === "unauthorized"), []);
  const { status, error: statusError, refresh } = useStatus(api, head, report);
  const [place, go] = usePlace(boot.view === "leases" ? "leases" : "timeline");
  const [story, setStory] = useState<Subject>();
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
    () => ({ ...core, place, go, chooseWindow, windowTurn, openStory: setStory }),
    [core, place, go, chooseWindow, windowTurn],
  );
  const leases = status?.locks?.length ?? 0;
  return (
    <AppContext value={app}>
      <Header />
      <main>
        <h1 className="sr-only">Callosum: what all sessions on this machine do</h1>
        <Banners />
        <Tabs className="tabs" selectedKey={place.tab} onSelectionChange={(tab) => go({ tab: tab as TabId })}>
          <TabList className="tab-list" aria-label="Views">
            {TABS.map((tab) => (
              <Tab className="tab" id={tab} key={tab}>
                {NAMES[tab]}
                {tab === "leases" && leases > 0 && <span className="count">{leases}</span>}
              </Tab>
            ))}
          </TabList>
          <TabPanel className="panel" id="timeline">
            <Timeline />
          </TabPanel>
          <TabPanel className="panel" id="leases">
            <Leases />
          </TabPanel>
          <TabPanel className="panel" id="journal">
            <Journal />
          </TabPanel>
          <TabPanel className="panel" id="rules">
            <Rules />
          </TabPanel>
          <TabPanel className="panel" id="coverage">
            <Coverage />
          </TabPanel>
        </Tabs>
      </main>
      {story !== undefined && <StoryPanel subject={story} close={() => setStory(undefined)} />}
    </AppContext>
  );
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
