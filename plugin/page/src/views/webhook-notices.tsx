// The service's webhooks that don't get what they are for. One that gets it is not worth a notice.

import type { Status, Webhook } from "../model/wire.ts";
import { LongText, Notice, Text, When } from "./common.tsx";

export function WebhookNotices({ status, now }: { status: Status; now: number }) {
  const { webhooks = [], webhooksError } = status;
  return (
    <>
      {webhooksError !== undefined && (
        <Notice kind="warn" title="The state of the service's webhooks is unknown">
          <LongText text={webhooksError} />. <br />
          <strong>To fix it:</strong> move the file away and start the service again. Webhooks then begin with what comes from
          then on.
        </Notice>
      )}
      {webhooks
        .filter(({ state }) => state !== "ok")
        .map((webhook) => (
          <WebhookNotice webhook={webhook} now={now} key={webhook.name} />
        ))}
    </>
  );
}

function WebhookNotice({ webhook, now }: { webhook: Webhook; now: number }) {
  const { name, target, state, behind, failingSince, attempts = 0, error, retryAt } = webhook;
  const isParked = state === "parked";
  const shown = <Text text={name} max={64} />;
  return (
    <Notice
      kind={isParked ? "warn" : "info"}
      title={
        isParked ? (
          <>The webhook {shown} was given up: it gets nothing any more</>
        ) : (
          <>The webhook {shown} does not get its next event</>
        )
      }
    >
      <Text text={target} max={200} />: {error !== undefined && <LongText text={error} />} ({attempts}{" "}
      {attempts === 1 ? "attempt" : "attempts"}
      {failingSince !== undefined && (
        <>
          , the first <When at={failingSince} now={now} style="moment" />
        </>
      )}
      ). What happens meanwhile waits in the journal: {kilobytes(behind)} so far. <br />
      <strong>{isParked ? "To fix it:" : "Next:"}</strong>{" "}
      {isParked ? (
        <>
          fix the target, or correct or remove the webhook in <code>serve.json</code>; then restart the service. It goes on with
          the first event that did not arrive.
        </>
      ) : (
        <>
          it is tried again
          {retryAt !== undefined && (
            <>
              {" "}
              at <When at={retryAt} now={now} style="moment" />
            </>
          )}
          ; see whether the target takes requests.
        </>
      )}
    </Notice>
  );
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
