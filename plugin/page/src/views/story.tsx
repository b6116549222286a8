// The story of a resource: who acted on it, who was stopped and shown what, how it ended, how it stands.

import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { useAnswer, useOften } from "../hooks/use-core.ts";
import { cut, visible } from "../model/text.ts";
import { countdown, msOf, SECOND } from "../model/times.ts";
import type { Subject } from "../model/url-state.ts";
import type { Story } from "../model/wire.ts";
import { Empty, Failure, KeyName, Skeleton, Text, Who } from "./common.tsx";
import { CopyButton } from "./copy.tsx";
import { StoryEvents } from "./story-events.tsx";

/** The drawer with the story of one of the subject's keys. */
export function StoryPanel({ subject }: { subject: Subject }) {
  const { closeStory: close } = useApp();
  const [key, setKey] = useState(subject.keys[0]);
  return (
    <ModalOverlay className="veil drawer-veil" isOpen isDismissable onOpenChange={(open) => !open && close()}>
      <Modal className="drawer">
        <Dialog className="dialog">
          <div className="drawer-head">
            <Heading slot="title">Story</Heading>
            <span className="drawer-tools">
              <CopyButton text={window.location.href} label="Copy link" />
              <Button className="quiet" onPress={close} aria-label="Close">
                ✕
              </Button>
            </span>
          </div>
          {subject.keys.length > 1 && <KeyChoice keys={subject.keys} chosen={key ?? ""} choose={setKey} />}
          {key === undefined ? <NoKey /> : <OfKey keyName={key} seq={subject.seq} key={key} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function KeyChoice({ keys, chosen, choose }: { keys: string[]; chosen: string; choose(key: string): void }) {
  return (
    <label className="key-choice">
      <span>This call acted on {keys.length} resources. The story of</span>
      <select value={chosen} onChange={(event) => choose(event.target.value)}>
        {keys.slice(0, 100).map((key) => (
          <option key={key} value={key}>
            {visible(cut(key, 90))}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoKey() {
  return (
    <Empty title="This record names no resource">
      <p>Only calls on resources (a mail address, a branch, a file …) have a story: what others did with the same resource.</p>
    </Empty>
  );
}

function OfKey({ keyName, seq }: { keyName: string; seq: number | undefined }) {
  const { api, head, report, go, place } = useApp();
  const restMs = useRef(2 * SECOND);
  const ask = useCallback(async () => {
    const begun = performance.now();
    try {
      return await api.ask("why", { key: keyName });
    } finally {
      // The whole journal is read for it: a long one not as often.
      restMs.current = Math.max(2 * SECOND, 10 * (performance.now() - begun));
    }
  }, [api, keyName]);
  const { answer: story, error, load } = useAnswer<Story>(ask, report);
  useOften(load, head, restMs.current, 30 * SECOND);
  useEffect(() => {
    void load();
  }, [load]);
  const filter = () => {
    go({ tab: "journal", filters: { ...place.filters, key: keyName }, story: undefined });
  };
  return (
    <>
      <div className="story-key">
        <KeyName name={keyName} max={400} />
        <div className="story-tools">
          <CopyButton text={keyName} />
          <Button className="quiet" onPress={filter}>
            In the journal
          </Button>
        </div>
      </div>
      {error !== undefined && <Failure what="The story can't be loaded" error={error} retry={load} />}
      {story === undefined ? (
        error === undefined && <Skeleton rows={5} label="The journal is being read" />
      ) : (
        <Told story={story} seq={seq} />
      )}
    </>
  );
}

function Told({ story, seq }: { story: Story; seq: number | undefined }) {
  const now = useNow(SECOND);
  if (story.events.length === 0) return <Empty title="The journal has no call on it" />;
  return (
    <>
      <Holding story={story} now={now} />
      <StoryEvents story={story} seq={seq} now={now} />
    </>
  );
}

function Holding({ story, now }: { story: Story; now: number }) {
  if (story.leases.length === 0) return <p className="holding muted">Nobody holds it now.</p>;
  return (
    <div className="holding" data-held>
      {story.leases.map((lease) => (
        <p key={`${lease.session} ${lease.since}`}>
          <strong>Held now</strong> by <Who session={lease.session} machine={lease.machine} instance={lease.instance} /> with{" "}
          <Text text={lease.tool} max={40} />, for {countdown(msOf(lease.expiresAt) - now)} more at most
        </p>
      ))}
    </div>
  );
}
