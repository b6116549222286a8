// A person's word: two buttons, and what came of it.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { AskError } from "../api.ts";
import { useApp } from "../hooks/app.ts";
import { asAskError } from "../hooks/use-core.ts";
import { Failure, Notice, Text } from "./common.tsx";

export interface Decided {
  text: string;
  accept: boolean;
}

/** How to give a word on tasks or proposals, and what to show of the last one. */
export function useDecide(matter: "task" | "proposal") {
  const { api, together } = useApp();
  const [busy, setBusy] = useState<string>();
  const [told, setTold] = useState<Decided | AskError>();
  const decide = async (id: string, text: string, accept: boolean) => {
    setBusy(id);
    try {
      await api.decide(matter, id, accept);
      setTold({ text, accept });
    } catch (thrown) {
      setTold(asAskError(thrown));
    }
    setBusy(undefined);
    together.refresh();
  };
  return { may: api.boot.decide !== null, busy, told, decide };
}

/** What came of the last word. */
export function ToldDecision({ told }: { told: Decided | AskError | undefined }) {
  if (told === undefined) return null;
  if (told instanceof Error) return <Failure what="That was not taken" error={told} />;
  return (
    <Notice kind="info" title={told.accept ? "Accepted" : "Rejected"}>
      <Text text={told.text} max={200} />
    </Notice>
  );
}

/** The two buttons; `what` names the thing to those who hear the page. */
export function DecideButtons({ what, isBusy, decide }: { what: string; isBusy: boolean; decide: (accept: boolean) => void }) {
  return (
    <span className="decide">
      <Button className="button filled" isDisabled={isBusy} onPress={() => decide(true)} aria-label={`Accept ${what}`}>
        Accept
      </Button>
      <Button className="button" isDisabled={isBusy} onPress={() => decide(false)} aria-label={`Reject ${what}`}>
        Reject
      </Button>
    </span>
  );
}

/** Where words are given, for those who see this page without the right to. */
export function WhereDecided({ command }: { command: string }) {
  const { api } = useApp();
  return (
    <p className="muted foot">
      {api.boot.host === "openclaw" && "Operators with write access accept and reject in the tab “Callosum leases”. "}
      In a terminal: <code>{command}</code>
    </p>
  );
}
