// What all parts of the page share: the server, the journal's head, the status and where the reader is.

import { createContext, use } from "react";
import type { Api, AskError, Link } from "../api.ts";
import type { WindowId } from "../model/times.ts";
import type { SharedContext, Team } from "../model/together.ts";
import type { Place, Subject } from "../model/url-state.ts";
import type { Status } from "../model/wire.ts";

/** What sessions do together, and share; undefined while it is not known. */
export interface Together {
  team: Team | undefined;
  teamError: AskError | undefined;
  context: SharedContext | undefined;
  contextError: AskError | undefined;
  /** Asks again. */
  refresh(): void;
}

export interface App {
  api: Api;
  /** How far the journal goes; undefined before the first news. */
  head: number | undefined;
  link: Link;
  /** The server does not know this page any more. */
  expired: boolean;
  /** To be told of every failure: the one that means `expired` is shown for the whole page. */
  report(error: AskError): void;
  status: Status | undefined;
  statusError: AskError | undefined;
  /** Asks for the status again. */
  refresh(): void;
  place: Place;
  go(change: Partial<Place>): void;
  /** Shows the last so and so many hours, also when it was they that were chosen before. */
  chooseWindow(window: WindowId): void;
  /** Goes up with each choice. */
  windowTurn: number;
  openStory(subject: Subject): void;
  closeStory(): void;
  /** What sessions do together, and share. */
  together: Together;
}

export const AppContext = createContext<App | undefined>(undefined);

/** What all parts of the page share. */
export function useApp(): App {
  const app = use(AppContext);
  if (app === undefined) throw new Error("this part of the page stands outside of it");
  return app;
}
