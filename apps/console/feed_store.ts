/** The calls of all callers, from the events of the feed. */
import { signal } from "@preact/signals";
import { pageError, readError, request } from "./api.ts";
import { readEvents } from "./sse.ts";
import { callerOf } from "./words.ts";

/** JSON text of arguments or a value; not complete if characters were cut. */
export interface KeptJson {
  readonly json: string;
  readonly cut?: number;
}

/** An event of a call, as the server's feed sends it. */
interface FeedEvent {
  readonly type: "begin" | "event" | "end" | "refused";
  readonly seq: number;
  readonly call?: number;
  readonly atMs: number;
  readonly tool?: string;
  readonly wire?: string;
  readonly principal?: string;
  readonly tenant?: string;
  readonly attempt?: number;
  readonly args?: KeptJson;
  readonly kind?: string;
  readonly progress?: { readonly done: number; readonly total?: number; readonly message?: string };
  readonly value?: KeptJson;
  readonly tookMs?: number;
  readonly outcome?: string;
  readonly code?: string;
  readonly message?: string;
  readonly correlationId?: string;
  readonly stack?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
}

/** One call, or one refused request. */
export interface Row {
  readonly seq: number;
  readonly atMs: number;
  readonly tool: string;
  readonly wire: string;
  readonly principal: string;
  readonly attempt: number | undefined;
  /** `running`, `answer`, `failure`, `error`, `promise`, `questions` or `refused`. */
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly correlationId: string | undefined;
  readonly stack: string | undefined;
  readonly tookMs: number | undefined;
  readonly progress: FeedEvent["progress"];
  readonly args: KeptJson | undefined;
  readonly value: KeptJson | undefined;
  readonly events: readonly FeedEvent[];
}

/** Counts and times of one tool, as the server's feed sends them. */
export interface ToolStats {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly perSecond: readonly number[];
}

/** A message of the feed of one process. */
interface Part {
  readonly instance: string;
  readonly lost: number;
  readonly events: readonly FeedEvent[];
  readonly stats: readonly ToolStats[];
}

/** Rows that the page keeps. */
const MAX_ROWS = 500;
const RETRY_MS = 1_500;

/** The newest rows first. */
export const rows = signal<readonly Row[]>([]);
export const stats = signal<readonly ToolStats[]>([]);
/** Events that were not kept. */
export const lostEvents = signal(0);
/** Whether the page is connected: `live`, `waiting` or `paused`. */
export const feedState = signal<"live" | "waiting" | "paused">("waiting");

let after = 0;
let instance = "";

function toRow(event: FeedEvent): Row {
  const { seq, atMs, tool = "", wire = "", principal: caller, tenant, attempt, args } = event;
  const principal = callerOf(caller, tenant);
  const isRefused = event.type === "refused";
  const shown = isRefused && tool === "" ? `${event.method} ${event.path}` : tool;
  return {
    seq,
    atMs,
    tool: shown,
    wire,
    principal,
    attempt,
    args,
    status: isRefused ? "refused" : "running",
    code: event.code ?? (event.status === undefined ? "" : String(event.status)),
    message: event.message ?? "",
    correlationId: undefined,
    stack: undefined,
    tookMs: undefined,
    progress: undefined,
    value: undefined,
    events: [],
  };
}

/** Outcomes that ask the caller. */
const QUESTIONS: ReadonlySet<string> = new Set(["elicitation", "request-for-more-resource"]);

function change(row: Row, event: FeedEvent): Row {
  const { progress = row.progress, value, outcome = "answer", code = "", message = "", correlationId, stack, tookMs } =
    event;
  if (event.type === "event") return { ...row, progress, events: [...row.events, event] };
  return {
    ...row,
    status: QUESTIONS.has(outcome) ? "questions" : outcome,
    code,
    message,
    correlationId,
    stack,
    tookMs,
    value,
  };
}

/** Adds the events of a part to rows. */
function addPart(before: readonly Row[], part: Pick<Part, "events">): readonly Row[] {
  const byCall = new Map(before.map((row) => [row.seq, row]));
  for (const event of part.events) {
    if (event.call === undefined || event.type === "begin") byCall.set(event.seq, toRow(event));
    else {
      const row = byCall.get(event.call);
      if (row !== undefined) byCall.set(event.call, change(row, event));
    }
  }
  return [...byCall.values()].sort((one, other) => other.seq - one.seq).slice(0, MAX_ROWS);
}

function receive(part: Part): void {
  if (part.instance !== instance) {
    // The server was restarted: its numbers begin again.
    if (instance !== "") rows.value = [];
    after = 0;
    instance = part.instance;
    lostEvents.value = 0;
  } else lostEvents.value += part.lost;
  after = Math.max(after, part.events.at(-1)?.seq ?? 0);
  rows.value = addPart(rows.value, part);
  stats.value = part.stats;
}

/** Reads the feed until the page is hidden, and again when it is shown. */
export async function followFeed(): Promise<void> {
  for (;;) {
    if (document.hidden) {
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    }
    const hidden = new AbortController();
    const stop = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", stop);
    try {
      await readFeed(hidden.signal);
    } catch {
      // The server restarts, or the page is hidden.
    }
    document.removeEventListener("visibilitychange", stop);
    feedState.value = document.hidden ? "paused" : "waiting";
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readFeed(signal: AbortSignal): Promise<void> {
  const response = await request("feed", { after, instance }, signal);
  if (!response.ok) {
    pageError.value = await readError(response);
    return;
  }
  pageError.value = undefined;
  feedState.value = "live";
  await readEvents(response, (data) => receive(JSON.parse(data) as Part));
}

/** Whether a row passes a filter: words, `tool:`, `wire:`, `status:`, `code:`, `by:`, `>500ms`, `<1s`; `-` negates. */
export function passes(row: Row, filter: string): boolean {
  return filter.split(/\s+/).filter((word) => word !== "").every((word) => {
    const isNegated = word.startsWith("-") && word.length > 1;
    return passesWord(row, isNegated ? word.slice(1) : word) !== isNegated;
  });
}

function passesWord(row: Row, word: string): boolean {
  const time = /^([<>])(\d+(?:\.\d+)?)(ms|s)$/.exec(word);
  if (time !== null) {
    const limitMs = Number(time[2]) * (time[3] === "s" ? 1_000 : 1);
    return row.tookMs !== undefined && (time[1] === ">" ? row.tookMs > limitMs : row.tookMs < limitMs);
  }
  const [, name, text = ""] = /^(tool|wire|status|code|by):(.*)$/.exec(word) ?? [];
  if (name === undefined) return [row.tool, row.code, row.principal].some((part) => contains(part, word));
  if (name === "by") return contains(row.principal, text);
  if (name === "status" && text === "ok") return row.status === "answer";
  return contains(row[name as "tool" | "wire" | "status" | "code"], text);
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
