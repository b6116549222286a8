// Which keys do what.

import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";

const KEYS: [string, [string, string][]][] = [
  [
    "Everywhere",
    [
      ["?", "this list"],
      ["/", "search"],
      ["1 … 9", "the first nine views"],
      ["Esc", "close what lies on top"],
    ],
  ],
  [
    "On the timeline",
    [
      ["+ −", "zoom in and out"],
      ["← →", "move in time (with Shift where a mark is chosen)"],
      ["n", "back to now"],
      ["Tab, arrows", "to the marks, and from mark to mark"],
      ["Enter", "the story of a mark"],
    ],
  ],
  ["In the journal", [["↑ ↓", "from record to record; Enter opens the story"]]],
];

/** The list of keys. */
export function KeysDialog({ close }: { close: () => void }) {
  return (
    <ModalOverlay className="veil" isOpen isDismissable onOpenChange={(open) => !open && close()}>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">Keys</Heading>
          {KEYS.map(([where, keys]) => (
            <section key={where} className="keys-of">
              <h3>{where}</h3>
              <dl>
                {keys.map(([key, does]) => (
                  <div key={key}>
                    <dt>
                      <kbd>{key}</kbd>
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <div className="dialog-buttons">
            <Button className="button" onPress={close} autoFocus>
              Close
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
