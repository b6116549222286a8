// What is wrong, for all views: on top, with what to do about it.

import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { useNow, useSettled } from "../hooks/shared.ts";
import { Failure, LongText, Notice, Text, When } from "./common.tsx";
import { WebhookNotices } from "./webhook-notices.tsx";

/** A loss this short is not worth a notice. */
const GRACE_MS = 3_000;

/** The notices above the tabs; nothing when all is well. */
export function Banners() {
  const { api, status, statusError, expired, link, refresh } = useApp();
  const now = useNow(10_000);
  const isLost = useSettled(link, GRACE_MS) === "lost" && link === "lost";
  if (expired)
    return (
      <Notice kind="error" title="This page was opened with a link that has expired" action={<LoadAgain />}>
        Reload it. If that does not help:{" "}
        {api.boot.host === "openclaw"
          ? "open Callosum anew from the Control UI's side bar."
          : "press Enter in the terminal where callosum ui runs and open the link it prints; if it has ended, start it again."}{" "}
        What you see below is out of date.
      </Notice>
    );
  const { degraded, settingErrors = [], rules, waiting, lost, mode } = status ?? {};
  return (
    <div className="banners">
      {isLost && (
        <Notice kind="warn" title="The connection was lost">
          The page reconnects by itself. You see what it knew last.
        </Notice>
      )}
      {statusError !== undefined && link !== "lost" && (
        <Failure what="The status can't be loaded" error={statusError} retry={refresh} />
      )}
      {degraded && (
        <Notice
          kind="error"
          title={
            <>
              Callosum can't use its shared state
              {degraded.since !== undefined && (
                <>
                  , since <When at={degraded.since} now={now} style="moment" />
                </>
              )}
            </>
          }
        >
          <LongText text={degraded.cause} /> <br />
          <strong>To fix it:</strong> <LongText text={degraded.remedy} />
        </Notice>
      )}
      {lost && (
        <Notice
          kind="warn"
          title={
            <>
              The journal was lost while it was in use, noticed <When at={lost.at} now={now} style="moment" />
            </>
          }
        >
          <LongText text={lost.how} />, said <Text text={lost.instance} max={100} />. What else it held is gone: calls that it
          spoke against may pass. <br />
          <strong>To fix it:</strong> find out what deletes, rotates or restores files in the state directory, and exclude the
          directory there.
        </Notice>
      )}
      {rules?.error && (
        <Notice kind="error" title="The rules file can't be used: the rules loaded before it stay in force">
          <LongText text={rules.error} />
        </Notice>
      )}
      {settingErrors.map((error) => (
        <Notice kind="warn" title="A setting can't be used" key={error}>
          <Text text={error} max={500} />
        </Notice>
      ))}
      {waiting !== undefined && waiting.lost > 0 && (
        <Notice kind="error" title={`${waiting.lost} ${waiting.lost === 1 ? "record is" : "records are"} lost`}>
          They could not be written, and there was no room left in memory. The journal has a gap there.
        </Notice>
      )}
      {status !== undefined && <WebhookNotices status={status} now={now} />}
      {mode === "observe" && (
        <Notice kind="info" title="Only observing">
          Nothing is stopped, and the journal records what would have been. <code>callosum observe report</code> tells what that
          was, <code>callosum observe off</code> or the setting <code>mode: "enforce"</code> ends it.
        </Notice>
      )}
    </div>
  );
}

/** The server gives a page that is loaded anew a token that holds. */
function LoadAgain() {
  return (
    <Button className="button" onPress={() => window.location.reload()}>
      Reload
    </Button>
  );
}
