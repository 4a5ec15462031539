/** Jobs of the engine, read again while the screen is open, and the changes of the shown one. */
import { signal } from "@preact/signals";
import { type PageError, readError, request } from "./api.ts";
import type { Json } from "./json_schema.ts";
import type { QuestionAnswer } from "./questions.ts";

/** States of jobs, in the order of their life. */
export const STATES = ["queued", "running", "asking", "waiting", "blocked", "done", "cancelled"] as const;

/** A job in the list, as the API of the console sends it. */
export interface JobRow {
  readonly id: string;
  readonly tool: string;
  readonly state: typeof STATES[number];
  readonly principal?: string;
  readonly tenant?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly owner?: string;
  readonly wakeAtMs?: number;
  readonly progress?: { readonly done: number; readonly total?: number; readonly message?: string };
  readonly schedule?: string;
  readonly outcome?: { readonly kind: string; readonly code?: string; readonly message?: string };
  readonly canRetry: boolean;
}

/** One job with its steps, waits and questions. */
export interface JobView extends JobRow {
  readonly version: number;
  readonly epoch: number;
  readonly failures: readonly { readonly attempt: number; readonly atMs: number; readonly message: string }[];
  readonly steps: readonly {
    readonly key: string;
    readonly chars: number;
    readonly value?: Json;
    readonly failed?: { readonly message: string };
  }[];
  readonly answers: readonly { readonly key: string; readonly action: string; readonly value?: Json }[];
  readonly waits: readonly {
    readonly kind: "sleep" | "value";
    readonly key: string;
    readonly until?: number;
    readonly done?: string;
  }[];
  readonly questions?: Readonly<Record<string, Json>>;
  readonly args?: Json;
  readonly value?: Json;
}

/** One change of a job, as the page has seen it. */
export interface JobChange {
  readonly atMs: number;
  readonly text: string;
  /** Server that began the run. */
  readonly owner: string | undefined;
}

/** Filter of the list. */
export const jobFilter = signal({ state: "", tool: "", principal: "" });
export const jobRows = signal<readonly JobRow[] | undefined>(undefined);
/** Position of the next page; `undefined` on the last one. */
export const nextCursor = signal<string | undefined>(undefined);
export const jobView = signal<JobView | undefined>(undefined);
export const jobError = signal<PageError | undefined>(undefined);
/** Why the last change was refused. */
export const actionError = signal("");
/** Why the shown job could not be read, until it can. */
export const viewError = signal("");
/** Id of the server of this page, as the owner of runs. */
export const ownOwner = signal("");
export const changes = signal<readonly JobChange[]>([]);

/** Jobs that the list holds; older ones are read with the next page. */
const MAX_ROWS = 500;
const MAX_CHANGES = 100;

/** A page of the list of jobs. */
type Listed = { readonly owner?: string; readonly jobs: readonly JobRow[]; readonly cursor?: string };

/** Reads the first page, or adds the next one. */
export async function readJobs(isNext = false): Promise<void> {
  const { state, tool, principal } = jobFilter.value;
  const asked = jobFilter.value;
  const answer = await send<Listed>("jobs", {
    ...(state !== "" && { states: [state] }),
    ...(tool !== "" && { tool }),
    ...(principal !== "" && { principal: principal === "anonymous" ? "" : principal }),
    ...(isNext && { cursor: nextCursor.value }),
  });
  if (asked !== jobFilter.value) return;
  jobError.value = "error" in answer ? answer.error : undefined;
  if ("error" in answer) return;
  ownOwner.value = answer.owner ?? "";
  const before = isNext ? jobRows.value ?? [] : [];
  jobRows.value = [...before, ...answer.jobs].slice(0, MAX_ROWS);
  nextCursor.value = answer.cursor;
}

/** Reads the shown job, and notes what has changed. */
export async function readJob(id: string): Promise<void> {
  const answer = await send<JobView>("jobs/inspect", { id });
  if (isGone(id)) return;
  if ("error" in answer) {
    viewError.value = answer.error.message;
    if (answer.error.status === 400) jobView.value = undefined;
    return;
  }
  viewError.value = "";
  note(answer);
  jobView.value = answer;
}

let shownId = "";

/** Shows another job. */
export function showJob(id: string): void {
  shownId = id;
  jobView.value = undefined;
  changes.value = [];
  actionError.value = "";
  viewError.value = "";
  if (id !== "") void readJob(id);
}

function isGone(id: string): boolean {
  return id !== shownId;
}

function note(job: JobView): void {
  const before = jobView.value;
  if (before === undefined) {
    changes.value = [
      { atMs: job.createdAtMs, text: "created", owner: undefined },
      { atMs: Date.now(), text: describe(job), owner: job.owner },
    ];
    return;
  }
  if (before.version === job.version) return;
  const steps = job.steps.slice(before.steps.length).map(({ key }) => `step ${key}`);
  const isMoved = before.state !== job.state || before.attempt !== job.attempt || before.epoch !== job.epoch;
  const texts = isMoved ? [...steps, describe(job)] : steps;
  const added = texts.map((text) => ({ atMs: Date.now(), text, owner: job.owner }));
  changes.value = [...changes.value, ...added].slice(-MAX_CHANGES);
}

function describe({ state, attempt, maxAttempts, outcome }: JobView): string {
  if (state === "running") return `running, attempt ${attempt} of ${maxAttempts}`;
  return outcome === undefined ? state : `${state}: ${outcome.code ?? outcome.kind}`;
}

/** Changes a job. Returns the changed job, or the new one. */
export async function changeJob(
  action: "retry" | "rerun" | "cancel" | "answer",
  id: string,
  answers?: Readonly<Record<string, QuestionAnswer>>,
): Promise<JobRow | undefined> {
  const answer = await send<JobRow>(`jobs/${action}`, { id, ...(answers && { answers }) });
  actionError.value = "error" in answer ? answer.error.message : "";
  await Promise.all([readJob(id), readJobs()]);
  return "error" in answer ? undefined : answer;
}

async function send<Answer extends object>(path: string, input: unknown): Promise<Answer | { error: PageError }> {
  try {
    const response = await request(path, input);
    return response.ok ? await response.json() as Answer : { error: await readError(response) };
  } catch {
    return { error: { status: 0, code: "unreachable", message: "The server does not answer. The page tries again." } };
  }
}
