// What sessions do together, and what they share: asked for as often as the journal grows, and less where the answer takes long.

import { useCallback, useEffect, useRef } from "react";
import type { Api, AskError } from "../api.ts";
import { SECOND } from "../model/times.ts";
import type { Team } from "../model/together.ts";
import { type Together, useApp } from "./app.ts";
import { useAnswer, useOften } from "./use-core.ts";

/** How long to wait before what took so long is asked again. */
const REST = 10;

function useRested<T>(ask: () => Promise<T>, head: unknown, report: (error: AskError) => void, everyMs: number) {
  const rest = useRef(2 * SECOND);
  const timed = useCallback(async () => {
    const begun = performance.now();
    try {
      return await ask();
    } finally {
      rest.current = Math.max(2 * SECOND, REST * (performance.now() - begun));
    }
  }, [ask]);
  const answered = useAnswer<T>(timed, report);
  useOften(answered.load, head, rest.current, everyMs);
  return answered;
}

/** Tasks, messages and the shared context. */
export function useTogether(api: Api, head: number | undefined, report: (error: AskError) => void): Together {
  const askTeam = useCallback(() => api.ask("team", {}), [api]);
  const askContext = useCallback(() => api.ask("context", {}), [api]);
  const { answer: team, error: teamError, load: loadTeam } = useRested<Team>(askTeam, head, report, 30 * SECOND);
  const { answer: context, error: contextError, load: loadContext } = useRested(askContext, head, report, 30 * SECOND);
  const refresh = useCallback(() => {
    void loadTeam();
    void loadContext();
  }, [loadTeam, loadContext]);
  return { team, teamError, context, contextError, refresh };
}

/** What is read out of the journal's last days, as long as it is looked at: sessions, or what they published. */
export function useTeamPart(part: "sessions" | "events", isWanted = true) {
  const { api, head, report } = useApp();
  const ask = useCallback(async () => (isWanted ? await api.ask("team", { [part]: true }) : undefined), [api, part, isWanted]);
  const { answer, error, load } = useRested<Team | undefined>(ask, head, report, 30 * SECOND);
  useEffect(() => {
    void load();
  }, [load]);
  return { answer, error, load };
}
