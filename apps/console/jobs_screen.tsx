/** The jobs of the engine, whichever process runs them: by state, one in full, and what an operator can do with it. */
import { signal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { useEffect } from "preact/hooks";
import { hello } from "./api.ts";
import { Dialog } from "./dialog.tsx";
import { Sign } from "./icon.tsx";
import { JobMemo } from "./job_memo.tsx";
import { asSchema } from "./json_schema.ts";
import {
  actionError,
  changeJob,
  changes,
  jobError,
  jobFilter,
  type JobRow,
  jobRows,
  type JobView,
  jobView,
  nextCursor,
  ownOwner,
  readJob,
  readJobs,
  showJob,
  STATES,
  viewError,
} from "./jobs_store.ts";
import { Pane } from "./pane.tsx";
import { QuestionForms } from "./question_forms.tsx";
import type { PageQuestion } from "./questions.ts";
import { go, route } from "./route.ts";
import { Ago, Clock, Time } from "./time.tsx";
import { ResultValue, visible } from "./value.tsx";
import { callerOf, spanOf } from "./words.ts";

/** Times between two reads of the list, and of the shown job, in milliseconds. */
const LIST_MS = 2_000;
const JOB_MS = 700;

export function JobsScreen(): JSX.Element {
  const id = route.value.name;
  useEffect(() => {
    void readJobs();
    return repeat(
      LIST_MS,
      () => nextCursor.value === undefined || (jobRows.value ?? []).length <= 50,
      () => readJobs(),
    );
  }, [jobFilter.value]);
  useEffect(() => {
    showJob(id);
    return repeat(JOB_MS, () => id !== "" && !isOver(jobView.value), () => readJob(id));
  }, [id]);
  const job = jobView.value;
  return (
    <div class={id === "" ? "screen feed" : "screen feed chosen"}>
      <Pane title="Jobs">
        <Filters />
        {jobError.value === undefined ? <JobTable chosen={id} /> : <NoList />}
      </Pane>
      {id === "" ? <About /> : job === undefined ? <Missing id={id} /> : <OneJob key={job.id} job={job} />}
    </div>
  );
}

/** Repeats work while the page is visible. */
function repeat(ms: number, isWanted: () => boolean, work: () => Promise<void>): () => void {
  const timer = setInterval(() => {
    if (!document.hidden && isWanted()) void work();
  }, ms);
  return () => clearInterval(timer);
}

/** A job that has ended changes only by a retry of this page, which reads it again. */
function isOver(job: JobView | undefined): boolean {
  return job?.state === "cancelled" || (job?.state === "done" && !job.canRetry);
}

function Filters(): JSX.Element {
  const set = (member: string) => (event: TargetedEvent<HTMLInputElement | HTMLSelectElement>) => {
    jobFilter.value = { ...jobFilter.value, [member]: event.currentTarget.value.trim() };
  };
  const { state, tool, principal } = jobFilter.value;
  return (
    <div class="filters">
      <select aria-label="State" value={state} onChange={set("state")}>
        <option value="">all states</option>
        {STATES.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
      <input id="filter" aria-label="Tool" placeholder="tool" value={tool} onChange={set("tool")} />
      <input aria-label="Caller" placeholder="caller" value={principal} onChange={set("principal")} />
    </div>
  );
}

function NoList(): JSX.Element {
  return <p class="empty" role="status">{visible(jobError.value?.message ?? "")}</p>;
}

function JobTable({ chosen }: { readonly chosen: string }): JSX.Element {
  const rows = jobRows.value;
  if (rows === undefined) return <p class="dim">Reading …</p>;
  if (rows.length === 0) return <NoJobs />;
  return (
    <>
      <table class="calls jobs">
        <thead>
          <tr>
            <th scope="col">created</th>
            <th scope="col">tool</th>
            <th scope="col">caller</th>
            <th scope="col">state</th>
            <th scope="col" class="right">attempt</th>
            <th scope="col" class="right">expires in</th>
          </tr>
        </thead>
        <tbody>{rows.map((row) => <Row key={row.id} row={row} isChosen={row.id === chosen} />)}</tbody>
      </table>
      {nextCursor.value !== undefined && <button type="button" onClick={() => void readJobs(true)}>Older jobs</button>}
    </>
  );
}

function NoJobs(): JSX.Element {
  const { state, tool, principal } = jobFilter.value;
  return (
    <div class="empty">
      {`${state}${tool}${principal}` === ""
        ? (
          <p>
            No job yet. Calls of tools with <code>.promise()</code> appear here once they have outlasted their budget.
          </p>
        )
        : (
          <p>
            No job meets the filter. Tool and caller are whole names; <code>anonymous</code> means callers without one.
          </p>
        )}
    </div>
  );
}

function Row({ row, isChosen }: { readonly row: JobRow; readonly isChosen: boolean }): JSX.Element {
  const { id, tool, attempt, maxAttempts, principal, createdAtMs, expiresAtMs } = row;
  return (
    <tr class={isChosen ? "chosen" : ""} onClick={() => go("jobs", id)}>
      <td class="dim fit">
        <Clock atMs={createdAtMs} /> · <Ago atMs={createdAtMs} />
      </td>
      <td class="word">
        <a href={`#/jobs/${encodeURIComponent(id)}`} aria-label={`${visible(tool)}, job ${id}`}>{visible(tool)}</a>
      </td>
      <td class="dim word">{visible(callerOf(principal, row.tenant))}</td>
      <td class="word">
        <State row={row} />
        <Progress row={row} />
      </td>
      <td class="right">{attempt}/{maxAttempts}</td>
      <td class="right dim fit">{spanOf(expiresAtMs - Date.now())}</td>
    </tr>
  );
}

/** Kind of result that has the colour and the sign of a state. */
const LOOKS: Readonly<Record<JobRow["state"], string>> = {
  queued: "promise",
  running: "running",
  asking: "questions",
  waiting: "promise",
  blocked: "failure",
  done: "answer",
  cancelled: "refused",
};

function State({ row: { state, outcome, wakeAtMs } }: { readonly row: JobRow }): JSX.Element {
  const look = outcome?.code === undefined ? LOOKS[state] : "failure";
  const isLater = wakeAtMs !== undefined && wakeAtMs > Date.now();
  return (
    <span class={`state ${look}`} title={outcome?.code}>
      <Sign state={look} /> {outcome?.code === undefined ? state : visible(outcome.code)}
      {isLater && <span class="dim">{` in ${spanOf(wakeAtMs - Date.now())}`}</span>}
    </span>
  );
}

function Progress({ row: { state, progress, tool } }: { readonly row: JobRow }): JSX.Element | null {
  if (state !== "running" || progress?.total === undefined) return null;
  return <progress value={Math.min(1, progress.done / progress.total)} aria-label={`progress of ${visible(tool)}`} />;
}

function About(): JSX.Element {
  return (
    <div class="empty wide hint">
      <p>Choose a job for its steps and questions.</p>
      <p>Jobs of all processes of the engine.</p>
    </div>
  );
}

function Missing({ id }: { readonly id: string }): JSX.Element {
  return (
    <Pane title="Job" actions={<Close />} back={BACK}>
      {viewError.value === ""
        ? <p class="dim">Reading …</p>
        : <p class="issue" role="alert">{visible(viewError.value)}</p>}
      <p class="dim">
        <code>{visible(id)}</code>
      </p>
    </Pane>
  );
}

const BACK = { screen: "jobs", title: "Jobs" };

function Close(): JSX.Element {
  return <button type="button" class="quiet close" aria-label="Close" onClick={() => go("jobs")}>×</button>;
}

function OneJob({ job }: { readonly job: JobView }): JSX.Element {
  const { id, tool, progress, outcome, args, value, steps, waits, failures, schedule } = job;
  const facts = [
    visible(callerOf(job.principal, job.tenant)),
    `attempt ${job.attempt} of ${job.maxAttempts}`,
    `expires in ${spanOf(job.expiresAtMs - Date.now())}`,
    schedule === undefined ? "" : `schedule ${visible(schedule)}`,
  ].filter((fact) => fact !== "");
  return (
    <Pane title="Job" actions={<Close />} back={BACK}>
      <h1>{visible(tool)}</h1>
      <p class="facts">
        <State row={job} />
        {facts.map((fact) => <span key={fact} class="dim">{fact}</span>)}
      </p>
      <p>
        Created <Time atMs={job.createdAtMs} />
      </p>
      <p class="dim">
        <code>{visible(id)}</code>
        {job.owner !== undefined && (
          <>
            {job.state === "running" ? " · leased by " : " · last run by "}
            <Owner owner={job.owner} />
          </>
        )}
      </p>
      <Actions job={job} />
      {[actionError.value, viewError.value].filter((text) => text !== "").map((text) => (
        <p key={text} class="issue" role="alert">{visible(text)}</p>
      ))}
      {progress !== undefined && <ProgressLine progress={progress} />}
      {outcome?.message !== undefined && <p class="issue">{visible(outcome.message)}</p>}
      {job.questions !== undefined && (hello.value?.hasBodies === false
        ? (
          <p class="dim">
            The job asks its caller. This console does not show questions: <code>bodies</code> is <code>false</code>.
          </p>
        )
        : <Questions job={job} />)}
      {value !== undefined && (
        <>
          <h3>{outcome?.kind === "answer" ? "Result" : "Data"}</h3>
          <ResultValue value={value} />
        </>
      )}
      {steps.length + waits.length + job.answers.length + failures.length > 0 && <JobMemo job={job} />}
      {args !== undefined && (
        <>
          <h3>Arguments</h3>
          <ResultValue value={args} />
        </>
      )}
      <Timeline />
    </Pane>
  );
}

function Owner({ owner }: { readonly owner: string }): JSX.Element {
  return (
    <code title={owner}>
      {owner.slice(0, 8)}
      {owner === ownOwner.value && " (this process)"}
    </code>
  );
}

/** Job that is cancelled once the person confirms it. */
const cancelling = signal("");

function Actions({ job: { id, tool, state, canRetry, args } }: { readonly job: JobView }): JSX.Element {
  const isOpen = state !== "done" && state !== "cancelled";
  const rerun = async () => {
    const made = await changeJob("rerun", id);
    if (made !== undefined) go("jobs", made.id);
  };
  return (
    <p class="actions">
      {isOpen && <button type="button" class="danger" onClick={() => cancelling.value = id}>Cancel job…</button>}
      {isOpen && cancelling.value === id && <ConfirmCancel id={id} tool={tool} />}
      {canRetry && <button type="button" class="primary" onClick={() => void changeJob("retry", id)}>Retry</button>}
      {args !== undefined && <button type="button" onClick={() => void rerun()}>Run again</button>}
    </p>
  );
}

function ConfirmCancel({ id, tool }: { readonly id: string; readonly tool: string }): JSX.Element {
  const close = () => cancelling.value = "";
  return (
    <Dialog title="Cancel this job?" onClose={close}>
      <p>
        <strong>{visible(tool)}</strong>{" "}
        stops, and its caller gets no result. A cancelled job cannot be continued; it can be run again from its start.
      </p>
      <div class="actions">
        <button
          type="button"
          class="primary danger"
          onClick={() => {
            close();
            void changeJob("cancel", id);
          }}
        >
          Cancel job
        </button>
        <button type="button" autofocus onClick={close}>Keep the job</button>
      </div>
    </Dialog>
  );
}

function ProgressLine({ progress: { done, total, message } }: {
  readonly progress: NonNullable<JobRow["progress"]>;
}): JSX.Element {
  return (
    <p>
      {total !== undefined && <progress class="wide" value={Math.min(1, done / total)} aria-label="progress" />} {done}
      {total !== undefined && `/${total}`} {message !== undefined && visible(message)}
    </p>
  );
}

/** The questions, answered in place of the caller. */
function Questions({ job: { id, epoch, questions = {} } }: { readonly job: JobView }): JSX.Element {
  const asked = Object.entries(questions).map(([key, question]): PageQuestion => {
    const { kind, message, schema, params } = asSchema(question);
    const form = schema === undefined ? "url" : "form";
    return {
      key,
      kind: kind === "more" || kind === "sampling" || kind === "roots" ? kind : form,
      message: typeof message === "string" ? message : "",
      ...(schema !== undefined && { schema: asSchema(schema) }),
      params: asSchema(params),
    };
  });
  return (
    <QuestionForms
      key={epoch}
      asked={{ continuation: "", questions: asked }}
      before={{}}
      onAnswer={(answers) => void changeJob("answer", id, answers)}
    />
  );
}

function Timeline(): JSX.Element {
  return (
    <>
      <h3>Timeline</h3>
      <ol class="timeline">
        {changes.value.map(({ atMs, text, owner }, at) => (
          <li key={at}>
            <span class="dim">
              <Clock atMs={atMs} />
            </span>{" "}
            {visible(text)} {owner !== undefined && <Owner owner={owner} />}
          </li>
        ))}
      </ol>
      <p class="dim">Changes since the job was opened here.</p>
    </>
  );
}
