// What is wrong, for all views: on top, with what to do about it.

import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { useNow, useSettled } from "../hooks/shared.ts";
import { Failure, LongText, Notice, Text, When } from "./common.tsx";

/** A loss this short is not worth a notice. */
const GRACE_MS = 3_000;

/** The notices above the tabs; nothing when all is well. */
export function Banners() {
  const { api, status, statusError, expired, link, refresh } = useApp();
  const now = useNow(10_000);
  const isLost = useSettled(link, GRACE_MS) === "lost" && link === "lost";
  if (expired)
    return (
      <Notice kind="error" title="This page was opened with a link that no longer holds" action={<LoadAgain />}>
        Load it again. If that does not help:{" "}
        {api.boot.host === "openclaw"
          ? "open Callosum anew from the Control UI's side bar."
          : "press Enter in the terminal where callosum ui runs and open the link it prints; if it has ended, start it again."}{" "}
        What is shown below is not fresh.
      </Notice>
    );
  const { degraded, settingErrors = [], rules, waiting, lost, mode } = status ?? {};
  return (
    <div className="banners">
      {isLost && (
        <Notice kind="warn" title="The connection is lost">
          The page tries again by itself. What is shown is as of the last moment it was there.
        </Notice>
      )}
      {statusError !== undefined && link !== "lost" && (
        <Failure what="The status can't be told" error={statusError} retry={refresh} />
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
          <strong>To mend it:</strong> <LongText text={degraded.remedy} />
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
          <strong>To mend it:</strong> look for what deletes, rotates or restores files in the state directory, and leave it out.
        </Notice>
      )}
      {rules?.error && (
        <Notice kind="error" title="The rules file can't be read: the rules loaded before it stay in force">
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
          They could not be written and found no place in memory. The journal has a gap there.
        </Notice>
      )}
      {mode === "observe" && (
        <Notice kind="info" title="Only observing">
          What would be paused is written down, and nothing is stopped. The setting <code>mode: "enforce"</code> changes that.
        </Notice>
      )}
    </div>
  );
}

/** The server gives a page that is loaded anew a token that holds. */
function LoadAgain() {
  return (
    <Button className="button" onPress={() => window.location.reload()}>
      Load again
    </Button>
  );
}
