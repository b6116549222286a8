// Search over resources, sessions, texts of the journal, tasks and messages.

import { type ReactNode, useMemo, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import { useApp } from "../hooks/app.ts";
import { useSettled } from "../hooks/shared.ts";
import { useSearch } from "../hooks/use-search.ts";
import { find } from "../model/search.ts";
import { NO_FILTERS } from "../model/url-state.ts";
import { Failure, KeyName, Text } from "./common.tsx";

/** The dialog of the search. */
export function SearchDialog({ close }: { close: () => void }) {
  const { go, openStory, together } = useApp();
  const [text, setText] = useState("");
  const settled = useSettled(text, 250);
  const { records, busy, error } = useSearch(settled);
  const { team } = together;
  const found = useMemo(
    () => find(settled, records, team?.tasks ?? [], team?.messages ?? []),
    [settled, records, team?.tasks, team?.messages],
  );
  const leave = (then: () => void) => () => {
    close();
    then();
  };
  const inJournal = (filters: Partial<typeof NO_FILTERS>) => go({ tab: "journal", filters: { ...NO_FILTERS, ...filters } });
  const all = () => inJournal({ text: text.trim() });
  const isNothing =
    !busy && records.length === 0 && found.tasks.length === 0 && found.messages.length === 0 && error === undefined;
  return (
    <ModalOverlay className="veil search-veil" isOpen isDismissable onOpenChange={(open) => !open && close()}>
      <Modal className="modal search-modal">
        <Dialog className="dialog">
          <Heading slot="title" className="sr-only">
            Search
          </Heading>
          <SearchField
            className="search-field"
            value={text}
            onChange={setText}
            autoFocus
            onSubmit={(wanted) => wanted.trim() !== "" && leave(all)()}
          >
            <Label className="sr-only">Search resources, sessions, texts, tasks and messages</Label>
            <Input placeholder="A resource, a session, words of a call, a task or a message" maxLength={200} />
          </SearchField>
          {settled.trim() !== "" && (
            <div className="found" aria-live="polite">
              {error !== undefined && <Failure what="The journal can't be searched" error={error} />}
              {isNothing && <p className="muted">Nothing has this text, as far back as was looked.</p>}
              <FoundPart name="Resources" count={found.keys.length}>
                {found.keys.map((key) => (
                  <FoundLine key={key} open={leave(() => openStory({ keys: [key] }))} what="story">
                    <KeyName name={key} max={90} />
                  </FoundLine>
                ))}
              </FoundPart>
              <FoundPart name="Sessions" count={found.sessions.length}>
                {found.sessions.map((session) => (
                  <FoundLine key={session} open={leave(() => inJournal({ session }))} what="journal">
                    <Text text={session} max={90} />
                  </FoundLine>
                ))}
              </FoundPart>
              <FoundPart name="Tasks" count={found.tasks.length}>
                {found.tasks.map((task) => (
                  <FoundLine key={task.id} open={leave(() => go({ tab: "tasks" }))} what={task.id}>
                    <Text text={task.title} max={90} />
                  </FoundLine>
                ))}
              </FoundPart>
              <FoundPart name="Messages" count={found.messages.length}>
                {found.messages.map((message) => (
                  <FoundLine key={message.id} open={leave(() => go({ tab: "messages" }))} what={message.id}>
                    <Text text={message.body} max={90} />
                  </FoundLine>
                ))}
              </FoundPart>
            </div>
          )}
          <div className="dialog-buttons">
            <span className="muted search-count">{busy ? "Looking …" : ""}</span>
            <Button className="button" onPress={close}>
              Close
            </Button>
            <Button className="button filled" isDisabled={text.trim() === ""} onPress={leave(all)}>
              All records with this text
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function FoundPart({ name, count, children }: { name: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <ul>{children}</ul>
    </section>
  );
}

function FoundLine({ open, what, children }: { open: () => void; what: string; children: ReactNode }) {
  return (
    <li>
      <button type="button" className="found-line" onClick={open}>
        <span>{children}</span>
        <span className="muted">{what}</span>
      </button>
    </li>
  );
}
