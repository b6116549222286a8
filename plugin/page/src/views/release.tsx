// The question before a lease is ended by hand.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { Lease } from "../model/wire.ts";
import { KeyName, Text } from "./common.tsx";

/** Says what a release does and does not do, and does it. */
export function ReleaseDialog({
  lease,
  release,
  close,
}: {
  lease: Lease;
  release: (lease: Lease) => Promise<void>;
  close: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const confirm = () => {
    setBusy(true);
    void release(lease);
  };
  return (
    <ModalOverlay className="veil" isOpen isDismissable={!busy} onOpenChange={(open) => !open && close()}>
      <Modal className="modal">
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title">Release this resource?</Heading>
          <p>
            <KeyName name={lease.contextKey} max={200} />
            <br />
            held by <Text text={lease.session} max={80} /> (<Text text={lease.instance} max={60} />)
          </p>
          <ul>
            <li>Other sessions may act on it at once.</li>
            <li>
              <strong>The call that holds it is not stopped.</strong> If it still runs, it runs on, and two may act on the same
              thing at the same time.
            </li>
            <li>A call that holds several resources lets go of all of them.</li>
            <li>
              What was done stays in the journal, with who released it. Whoever acts on the resource next is still shown what was
              done.
            </li>
          </ul>
          <div className="dialog-buttons">
            <Button className="button" onPress={close} isDisabled={busy} autoFocus>
              Keep it
            </Button>
            <Button className="button danger filled" onPress={confirm} isDisabled={busy}>
              {busy ? "Releasing …" : "Release"}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
