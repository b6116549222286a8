// Messages between sessions, and what is known of their arrival.

import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { msOf } from "../model/times.ts";
import { type Message, nameOf, receiptSays } from "../model/together.ts";
import { Empty, Failure, LongText, Skeleton, Text, When } from "./common.tsx";
import { Export } from "./export.tsx";
import { Fact } from "./tasks.tsx";

/** The tab "Messages". */
export function Messages() {
  const { together } = useApp();
  const { team, teamError, refresh } = together;
  const now = useNow(10_000);
  if (team === undefined)
    return teamError === undefined ? (
      <Skeleton rows={4} label="The messages are loading" />
    ) : (
      <Failure what="The messages can't be loaded" error={teamError} retry={refresh} />
    );
  if (team.messages.length === 0)
    return (
      <Empty title="There is no message">
        <p>Messages stand here until they were read, and some time after. A person sends one with:</p>
        <pre className="command">callosum send codex 'the schema has changed'</pre>
      </Empty>
    );
  return (
    <section aria-label="Messages">
      <div className="list-head">
        <h2>
          Messages{" "}
          <span className="muted">
            {team.unread === 0 ? "all were read" : `${team.unread} ${team.unread === 1 ? "waits" : "wait"} to be read`}, newest
            first
          </span>
        </h2>
        <Export name="messages" rows={() => team.messages.map(rowOf)} />
      </div>
      <ul className="cards">
        {team.messages.map((message) => (
          <MessageCard key={message.id} message={message} now={now} />
        ))}
      </ul>
      {team.moreMessages > 0 && <p className="muted foot">And {team.moreMessages.toLocaleString()} older ones.</p>}
    </section>
  );
}

function rowOf(message: Message) {
  const { id, thread, intent, urgent, to, body, at, expiresAt } = message;
  const receipts = message.receipts.map((receipt) => `${receipt.session} ${receipt.state}`).join("; ");
  return { id, thread, intent, urgent, from: nameOf(message.from), to, body, at, expiresAt, receipts };
}

const INTENTS: Record<Message["intent"], string> = { request: "asks for something", inform: "tells", ack: "has understood" };

function MessageCard({ message, now }: { message: Message; now: number }) {
  const waits = message.receipts.some(({ state }) => state === "sent") || message.receipts.length === 0;
  const isOver = msOf(message.expiresAt) <= now;
  return (
    <li className="card">
      <div className="card-head">
        <h3>
          <Text text={nameOf(message.from)} max={70} /> <span className="muted">{INTENTS[message.intent]}</span>
        </h3>
        {message.urgent && (
          <span className="badge" data-state="late">
            urgent
          </span>
        )}
        {waits && !isOver && (
          <span className="badge" data-state="open">
            waits
          </span>
        )}
        <span className="muted card-id">
          <When at={message.at} now={now} style="moment" />
        </span>
      </div>
      <p className="card-text">
        <LongText text={message.body} max={400} />
      </p>
      <dl className="card-facts">
        <Fact name="to">
          <Text text={message.to} max={80} />
        </Fact>
        {message.receipts.map((receipt) => (
          <Fact name="" key={`${receipt.instance} ${receipt.session}`}>
            <Text text={receipt.session} max={60} /> {receiptSays(receipt)}
            {receipt.at !== null && (
              <>
                {" "}
                <When at={receipt.at} now={now} style="ago" />
              </>
            )}
          </Fact>
        ))}
        {message.receipts.length === 0 && (
          <Fact name="">{isOver ? "nobody with that role read it in time" : "waits for somebody with that role"}</Fact>
        )}
      </dl>
    </li>
  );
}
