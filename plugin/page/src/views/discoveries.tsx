// What sessions published: discoveries, what they know of files, anything under a topic.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { useNow } from "../hooks/shared.ts";
import { useTeamPart } from "../hooks/use-together.ts";
import { Empty, Failure, LongText, Skeleton, Text, When, Who } from "./common.tsx";
import { Export } from "./export.tsx";

const DISCOVERY = "calc.discovery";

/** The tab "Discoveries". */
export function Discoveries() {
  const { answer, error, load } = useTeamPart("events");
  const now = useNow(10_000);
  const [all, setAll] = useState(false);
  const given = answer?.events ?? undefined;
  if (given === undefined)
    return error === undefined ? (
      <Skeleton rows={4} label="The journal is being read" />
    ) : (
      <Failure what="The discoveries can't be loaded" error={error} retry={load} />
    );
  const discoveries = given.events.filter(({ topic }) => topic === DISCOVERY);
  const others = given.events.length - discoveries.length;
  const shown = all ? given.events : discoveries;
  return (
    <section aria-label="Discoveries">
      <div className="list-head">
        <h2>
          {all ? "All that was published" : "Discoveries"}{" "}
          <span className="muted">
            back to <When at={given.since} now={now} style="moment" />, newest first
          </span>
        </h2>
        <span>
          {others > 0 && (
            <Button className="quiet small" onPress={() => setAll(!all)}>
              {all ? "Only discoveries" : `Other topics, too (${others})`}
            </Button>
          )}
          {shown.length > 0 && <Export name="discoveries" rows={() => shown.map((event) => ({ ...event }))} />}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="Nobody has published a discovery">
          <p>An agent tells the others what it found, and a person does it with:</p>
          <pre className="command">callosum publish {DISCOVERY} --body 'libfoo 3 breaks the build'</pre>
        </Empty>
      ) : (
        <ul className="cards">
          {shown.map((event) => (
            <li className="card" key={event.seq}>
              <div className="card-head">
                <Who
                  session={event.session ?? undefined}
                  instance={event.instance ?? undefined}
                  runtime={event.runtime ?? undefined}
                />
                {all && (
                  <span className="badge">
                    <Text text={event.topic} max={60} />
                  </span>
                )}
                <span className="muted card-id">
                  <When at={event.at} now={now} style="moment" />
                </span>
              </div>
              <p className="card-text">
                <LongText text={event.text} max={600} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
