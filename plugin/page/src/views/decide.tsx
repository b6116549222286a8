// A person's word: two buttons, and what came of it.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { AskError, Matter } from "../api.ts";
import { useApp } from "../hooks/app.ts";
import { asAskError } from "../hooks/use-core.ts";
import { Failure, Notice, Text } from "./common.tsx";

export interface Decided {
  text: string;
  accept: boolean;
}

/** What the buttons say, and what came of them. Without `accept` there is nothing to accept. */
export interface Words {
  accept?: string;
  accepted?: string;
  reject: string;
  rejected?: string;
}

const PROPOSED: Words = { accept: "Accept", accepted: "Accepted", reject: "Reject", rejected: "Rejected" };

/** How to give a word on tasks, proposals or changed files, and what to show of the last one. */
export function useDecide(matter: Matter) {
  const { api, together } = useApp();
  const [busy, setBusy] = useState<string>();
  const [told, setTold] = useState<Decided | AskError>();
  const decide = async (id: string, text: string, accept: boolean, version?: string) => {
    setBusy(id);
    try {
      await api.decide(matter, id, accept, version);
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
export function ToldDecision({ told, words = PROPOSED }: { told: Decided | AskError | undefined; words?: Words }) {
  if (told === undefined) return null;
  if (told instanceof Error) return <Failure what="That was not taken" error={told} />;
  return (
    <Notice kind="info" title={told.accept ? words.accepted : words.rejected}>
      <Text text={told.text} max={200} />
    </Notice>
  );
}

interface ButtonsProps {
  /** Names the thing to those who hear the page. */
  what: string;
  isBusy: boolean;
  decide: (accept: boolean) => void;
  words?: Words;
}

/** The two buttons. */
export function DecideButtons({ what, isBusy, decide, words = PROPOSED }: ButtonsProps) {
  const { accept, reject } = words;
  return (
    <span className="decide">
      {accept !== undefined && (
        <Button className="button filled" isDisabled={isBusy} onPress={() => decide(true)} aria-label={`${accept}: ${what}`}>
          {accept}
        </Button>
      )}
      <Button className="button" isDisabled={isBusy} onPress={() => decide(false)} aria-label={`${reject}: ${what}`}>
        {reject}
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
