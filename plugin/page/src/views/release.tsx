// The question before leases are ended by hand.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { Lease } from "../model/wire.ts";
import { KeyName, Text } from "./common.tsx";

interface Props {
  /** The resource. */
  name: string;
  /** Who holds it now. It may change while the reader thinks. */
  holders: Lease[];
  release: (name: string) => Promise<void>;
  close: () => void;
}

/** Says what a release does and does not do, and does it. */
export function ReleaseDialog({ name, holders, release, close }: Props) {
  const [busy, setBusy] = useState(false);
  const confirm = () => {
    setBusy(true);
    void release(name);
  };
  return (
    <ModalOverlay className="veil" isOpen isDismissable={!busy} onOpenChange={(open) => !open && close()}>
      <Modal className="modal">
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title">Release this resource?</Heading>
          <p>
            <KeyName name={name} max={200} />
          </p>
          <Holders holders={holders} />
          <ul>
            <li>Other sessions may act on it at once.</li>
            <li>
              <strong>The call that holds it is not stopped.</strong> If it is still running, it goes on, and two calls may act on
              the same thing at the same time.
            </li>
            <li>A call that holds several resources releases all of them.</li>
            <li>
              The journal keeps what was done, and who released it. Whoever acts on the resource next is still shown what was
              done.
            </li>
          </ul>
          <div className="dialog-buttons">
            <Button className="button" onPress={close} isDisabled={busy} autoFocus>
              {holders.length === 0 ? "Close" : "Keep it"}
            </Button>
            <Button className="button danger filled" onPress={confirm} isDisabled={busy || holders.length === 0}>
              {busy ? "Releasing …" : "Release"}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Holders({ holders }: { holders: Lease[] }) {
  if (holders.length === 0) return <p role="status">Nobody holds it any longer, so there is nothing to release.</p>;
  return (
    <>
      <p>{holders.length === 1 ? "It is held by" : `It is held by ${holders.length} calls, and all of these leases end:`}</p>
      <ul>
        {holders.map((lease) => (
          <li key={`${lease.instance} ${lease.session} ${lease.since}`}>
            <Text text={lease.session} max={80} /> (<Text text={lease.instance} max={60} />) with{" "}
            <Text text={lease.tool} max={40} />
          </li>
        ))}
      </ul>
    </>
  );
}
