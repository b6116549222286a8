// The tasks that stand: what each is about, who is at it, and what waits for a person.

import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { cut, visible } from "../model/text.ts";
import { nameOf, needsPerson, type Task, taskStands } from "../model/together.ts";
import { Empty, Failure, LongText, Skeleton, Text, When } from "./common.tsx";
import { DecideButtons, ToldDecision, useDecide, WhereDecided } from "./decide.tsx";
import { Export } from "./export.tsx";

/** The tab "Tasks". */
export function Tasks() {
  const { together } = useApp();
  const { team, teamError, refresh } = together;
  const now = useNow(10_000);
  const { may, busy, told, decide } = useDecide("task");
  if (team === undefined)
    return teamError === undefined ? (
      <Skeleton rows={4} label="The tasks are loading" />
    ) : (
      <Failure what="The tasks can't be loaded" error={teamError} retry={refresh} />
    );
  const asked = team.tasks.filter(needsPerson);
  const others = team.tasks.filter((task) => !needsPerson(task));
  const card = (task: Task) => (
    <TaskCard
      key={task.id}
      task={task}
      now={now}
      isBusy={busy === task.id}
      decide={may && !task.accepted ? (accept) => void decide(task.id, task.title, accept) : undefined}
    />
  );
  return (
    <section aria-label="Tasks">
      <ToldDecision told={told} />
      {team.tasks.length === 0 && (
        <Empty title="There is no task">
          <p>Agents hand work over by tasks, and a person adds one with:</p>
          <pre className="command">callosum task add 'Review the parser' --to gemini</pre>
        </Empty>
      )}
      {asked.length > 0 && (
        <section aria-labelledby="tasks-asked">
          <div className="list-head">
            <h2 id="tasks-asked">
              Waiting for you <span className="count">{asked.length}</span>
            </h2>
          </div>
          <p className="muted lead">
            What agents ask of each other is not done by whoever looks for work until a person has accepted it. The words in it
            are theirs.
          </p>
          <ul className="cards">{asked.map(card)}</ul>
          {!may && <WhereDecided command={`callosum task accept ${asked[0]?.id}`} />}
        </section>
      )}
      {others.length > 0 && (
        <section aria-labelledby="tasks-others">
          <div className="list-head">
            <h2 id="tasks-others">{asked.length > 0 ? "All others" : "Tasks"}</h2>
            <Export name="tasks" rows={() => team.tasks.map(rowOf)} />
          </div>
          <ul className="cards">{others.map(card)}</ul>
        </section>
      )}
      {team.moreTasks > 0 && <p className="muted foot">And {team.moreTasks.toLocaleString()} more.</p>}
    </section>
  );
}

function rowOf(task: Task) {
  const { id, title, prompt, state, why, category, files, deps, to, priority, accepted, attempt, createdAt, updatedAt } = task;
  const [by, holder] = [nameOf(task.by), task.holder === null ? null : nameOf(task.holder)];
  return {
    id,
    title,
    prompt,
    state,
    why,
    category,
    files,
    deps,
    to,
    by,
    holder,
    priority,
    accepted,
    attempt,
    createdAt,
    updatedAt,
  };
}

function TaskCard({
  task,
  now,
  isBusy,
  decide,
}: {
  task: Task;
  now: number;
  isBusy: boolean;
  decide: ((accept: boolean) => void) | undefined;
}) {
  return (
    <li className="card" data-stands={needsPerson(task) ? "accent" : undefined}>
      <div className="card-head">
        <h3>
          <Text text={task.title} max={160} />
        </h3>
        <span className="badge" data-state={task.state}>
          {taskStands(task)}
        </span>
        {task.late && (
          <span className="badge" data-state="late">
            late
          </span>
        )}
        <code className="card-id">{task.id}</code>
      </div>
      {task.prompt !== "" && (
        <p className="card-text">
          <LongText text={task.prompt} max={280} />
        </p>
      )}
      {task.why !== null && (
        <p className="card-text">
          <strong>{task.state === "input-required" ? "Asked: " : "Why: "}</strong>
          <LongText text={task.why} max={280} />
        </p>
      )}
      {task.result !== null && (
        <p className="card-text">
          <strong>Result: </strong>
          <LongText text={task.result} max={280} />
        </p>
      )}
      <div className="card-foot">
        <dl className="card-facts">
          <Fact name="from">
            <Text text={nameOf(task.by)} max={60} />, <When at={task.createdAt} now={now} style="ago" />
          </Fact>
          {task.to !== null && (
            <Fact name="for">
              <Text text={task.to} max={60} />
            </Fact>
          )}
          {task.holder !== null && (
            <Fact name="at it">
              <Text text={nameOf(task.holder)} max={60} />
              {task.attempt > 1 && `, attempt ${task.attempt}`}
            </Fact>
          )}
          {task.deps.length > 0 && (
            <Fact name="after">
              <Text text={task.deps.join(", ")} max={80} />
            </Fact>
          )}
          {task.outputFile !== null && (
            <Fact name="result in">
              <Text text={task.outputFile} max={90} /> {task.outputExists === true ? "(there)" : "(not there yet)"}
            </Fact>
          )}
        </dl>
        {decide !== undefined && <DecideButtons what={visible(cut(task.title, 80))} isBusy={isBusy} decide={decide} />}
      </div>
    </li>
  );
}

/** A name and what stands for it, in a row of such. */
export function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
