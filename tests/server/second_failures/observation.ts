/** What a server reports while it is used, and what it leaves behind, in virtual time. */
import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import process from "node:process";
import { isToolErrorCode } from "../../../src/core/errors/code.ts";
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import type { Clock } from "../../../src/internal/time.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { FIRST, SECOND } from "./faulty.ts";

/** Virtual time after which something hangs, in milliseconds: longer than every deadline of the server. */
const HANGS_MS = 3_600_000;

/** Step of the virtual time, in milliseconds. */
const STEP_MS = 1_000;

/** Virtual time in which what was tried again after a failure has ended, in milliseconds. */
const RETRIES_MS = 10_000;

/** Virtual time in which the timers of a closed server end, in milliseconds. */
const LAST_TIMERS_MS = 60_000;

/** Observes a server while its plug-ins fail. */
export class Observation {
  /** Messages of the two errors, in the order in which they were logged or thrown. */
  reported: string[] = [];
  readonly logger = {
    debug() {},
    info() {},
    warn: (_message: string, fields?: object) => this.report(fields),
    error: (_message: string, fields?: object) => this.report(fields),
  };
  /** The clock of the plug-ins. */
  readonly time: FakeClock = new FakeClock();
  /** The clock of the server, whose timers are counted. */
  readonly clock: Clock;
  readonly #unhandled: unknown[] = [];
  readonly #timers = new Set<object>();

  constructor() {
    const { time } = this;
    this.clock = {
      now: () => time.now(),
      elapsed: () => time.elapsed(),
      after: (delayMs, callback) => {
        const timer = {};
        this.#timers.add(timer);
        const cancel = time.after(delayMs, () => {
          this.#timers.delete(timer);
          callback();
        });
        return () => {
          this.#timers.delete(timer);
          cancel();
        };
      },
    };
  }

  /** Notes which of the two errors a thrown value or a log line has. */
  report(value: unknown): void {
    const text = describe(value);
    for (const error of [FIRST, SECOND]) if (text.includes(error)) this.reported.push(error);
  }

  /** Runs work that may fail, and may not hang, while the virtual time passes, and then what it has left to the timers. Returns what it throws. */
  async bounded(what: string, work: () => unknown): Promise<unknown> {
    let isOver = false;
    const ended = (async () => void await work())().catch((thrown: unknown) => {
      this.report(thrown);
      return thrown;
    }).finally(() => {
      isOver = true;
    });
    for (let spentMs = 0; !isOver; spentMs += STEP_MS) {
      if (spentMs > HANGS_MS) fail(`It hangs: ${what}`);
      await this.time.advance(STEP_MS);
    }
    await this.time.advance(RETRIES_MS);
    return await ended;
  }

  /** The same for a call: what it throws is an error of the contract. */
  async call(what: string, work: () => unknown): Promise<unknown> {
    const thrown = await this.bounded(what, work);
    const isOfContract = thrown === undefined || thrown instanceof ToolError && isToolErrorCode(thrown.code);
    ok(isOfContract, `${what} failed with ${describe(thrown)}`);
    return thrown;
  }

  /** Observes work from its begin until the timers of the server have ended. */
  async during(work: () => Promise<void>): Promise<void> {
    const note = (thrown: unknown): void => void this.#unhandled.push(thrown);
    process.on("unhandledRejection", note);
    process.on("uncaughtException", note);
    try {
      await work();
      await this.time.advance(LAST_TIMERS_MS);
      await new Promise((resolve) => setTimeout(resolve, 0));
    } finally {
      process.off("unhandledRejection", note);
      process.off("uncaughtException", note);
    }
    deepStrictEqual(this.#unhandled, []);
    strictEqual(this.#timers.size, 0, "no timers are left");
  }
}

/** Text of a value, with the messages and causes of the errors in it. */
function describe(value: unknown, depth = 0): string {
  if (depth > 8) return "";
  if (value instanceof AggregateError) return value.errors.map((error) => describe(error, depth + 1)).join(" ");
  if (value instanceof Error) {
    const { message, cause, suppressed } = value as Error & { readonly suppressed?: unknown };
    return `${message} ${describe(cause, depth + 1)} ${describe(suppressed, depth + 1)}`;
  }
  if (typeof value === "object" && value !== null) {
    return Object.values(value).map((member) => describe(member, depth + 1)).join(" ");
  }
  return String(value);
}
