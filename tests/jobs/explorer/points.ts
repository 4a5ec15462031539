/**
 * Operations of the real `Jobs`, stopped at each request to the engine.
 *
 * An operation is deterministic: what it does next follows from the replies that it has had, and the times at which it had them. A
 * {@link Point} is such a history. The points of one operation are a tree, which grows as the exploration comes to new replies: the operation
 * is then continued, or begun again and given the replies of the history.
 */
import { strictEqual } from "node:assert/strict";
import { setImmediate } from "node:timers";
import { ToolError } from "../../../mod.ts";
import type { Engine, Job } from "../../../src/core/dispatch/engine.ts";
import { Jobs } from "../../../src/jobs/promises/jobs.ts";

/** A request that an operation waits for the reply of. */
export interface Request {
  readonly method: "get" | "replace" | "appendLedger" | "readLedger" | "schedule" | "lease" | "notify";
  readonly args: readonly unknown[];
}

/** How an operation has ended: with a value, as JSON, or with an error. */
export type End = { readonly json: string | undefined } | { readonly error: string };

/** A reply of the engine, as JSON; `undefined` for an error. */
export type Reply = { readonly json: string | undefined } | undefined;

/** An operation of jobs. */
export type Work = (jobs: Jobs) => Promise<unknown>;

/** What the engine of an operation is asked, one request at a time. */
class LiveOperation {
  nowMs: number;
  /** Whether it has read the time since the last reply. */
  hasReadTime = false;
  request: Request | undefined;
  end: End | undefined;
  #reply: PromiseWithResolvers<unknown> | undefined;

  constructor(work: Work, nowMs: number) {
    this.nowMs = nowMs;
    const read = () => {
      this.hasReadTime = true;
      return this.nowMs;
    };
    const clock = { now: read, elapsed: read, after: () => () => {} };
    const ask = (method: Request["method"]) => (...args: readonly unknown[]) => this.#ask(method, args);
    const engine = {
      ...{ get: ask("get"), replace: ask("replace"), appendLedger: ask("appendLedger"), readLedger: ask("readLedger") },
      ...{ schedule: ask("schedule"), lease: ask("lease") },
    };
    const jobs = new Jobs(engine as unknown as Engine, clock, () => "a process");
    const notify = ask("notify");
    jobs.notifier = { wants: () => true, notify: (job) => notify(job.id) as Promise<void> } as Jobs["notifier"];
    work(jobs).then(
      (value) => void (this.end = { json: JSON.stringify(value) }),
      (thrown) => void (this.end = { error: String(thrown) }),
    );
  }

  #ask(method: Request["method"], args: readonly unknown[]): Promise<unknown> {
    strictEqual(this.request, undefined, "An operation made a second request before the reply to the first");
    this.request = { method, args };
    this.#reply = Promise.withResolvers();
    return this.#reply.promise;
  }

  async feed(reply: Reply, nowMs: number): Promise<void> {
    this.nowMs = nowMs;
    this.hasReadTime = false;
    this.request = undefined;
    if (reply === undefined) this.#reply!.reject(new ToolError("unavailable", "The engine does not answer"));
    else this.#reply!.resolve(reply.json === undefined ? undefined : JSON.parse(reply.json));
    await settled();
  }
}

/** Resolves when all that the program does by itself is done: what follows waits for a reply. */
async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

let points = 0;
const begins = new Map<string, Point>();

/** An operation after some replies. It waits for the reply to `request`, or has come to its `end`. */
export class Point {
  readonly id: number = points++;
  readonly request: Request | undefined;
  readonly end: End | undefined;
  readonly #name: string;
  readonly #work: Work;
  readonly #history: readonly (readonly [Reply, number])[];
  readonly #startMs: number;
  /** The point before; absent at the begin. */
  readonly #before: Point | undefined;
  readonly #next = new Map<string, Point>();
  /** The operation itself, at this point, until it is continued. */
  #live: LiveOperation | undefined;

  private constructor(
    name: string,
    work: Work,
    startMs: number,
    history: readonly (readonly [Reply, number])[],
    live: LiveOperation,
    before?: Point,
  ) {
    this.#name = name;
    this.#work = work;
    this.#startMs = startMs;
    this.#history = history;
    this.#live = live;
    this.#before = before;
    this.request = live.request;
    this.end = live.end;
  }

  /** The begin of an operation, up to its first request. Operations with equal names are equal. */
  static async of(name: string, work: Work, startMs: number): Promise<Point> {
    const found = begins.get(name) ?? begins.get(`${startMs} ${name}`);
    if (found !== undefined) return found;
    const live = new LiveOperation(work, startMs);
    await settled();
    const point = new Point(name, work, startMs, [], live);
    begins.set(live.hasReadTime ? `${startMs} ${name}` : name, point);
    return point;
  }

  /** The point after a reply, if the exploration has come to it before. */
  known(reply: Reply, nowMs: number): Point | undefined {
    return this.#next.get(keyOf(reply)) ?? this.#next.get(keyOf(reply, nowMs));
  }

  /** The point after a reply. */
  async after(reply: Reply, nowMs: number): Promise<Point> {
    const live = this.#live ?? await this.#repeat();
    this.#live = undefined;
    await live.feed(reply, nowMs);
    const next = this.#triedAgain(reply, live) ??
      new Point(this.#name, this.#work, this.#startMs, [...this.#history, [reply, nowMs]], live, this);
    // Without a look at the clock, what follows is the same at each time.
    this.#next.set(keyOf(reply, live.hasReadTime ? nowMs : undefined), next);
    return next;
  }

  /**
   * The earlier point at which the operation is again: a change that was refused is tried again from its read on, and what the tries before
   * have read does not matter. Without this, the number of histories would grow with each concurrent change.
   */
  #triedAgain(reply: Reply, { request }: LiveOperation): Point | undefined {
    const read = this.#before;
    const isRefused = this.request?.method === "replace" && reply?.json === "false";
    if (!isRefused || request?.method !== "get" || read?.request?.method !== "get") return undefined;
    const json = this.#history.at(-1)?.[0]?.json;
    if (json === undefined) return undefined;
    const { id, version } = JSON.parse(json) as Partial<Job>;
    return id === request.args[0] && version === this.request.args[1] ? read : undefined;
  }

  /** The same operation from its begin. */
  again(nowMs: number): Promise<Point> {
    return Point.of(this.#name, this.#work, nowMs);
  }

  async #repeat(): Promise<LiveOperation> {
    const live = new LiveOperation(this.#work, this.#startMs);
    await settled();
    for (const [reply, nowMs] of this.#history) await live.feed(reply, nowMs);
    strictEqual(live.request?.method, this.request?.method, "An operation is not deterministic");
    return live;
  }
}

function keyOf(reply: Reply, nowMs?: number): string {
  return `${nowMs ?? "any time"} ${reply === undefined ? "error" : reply.json}`;
}
