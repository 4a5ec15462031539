/**
 * The process of `stdioTransport`: a call of it fails, and then its end fails, too. The calls under way end with the first cause, nothing
 * keeps this process running, and the next call starts another process.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { EventEmitter } from "node:events";
import process from "node:process";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { createClient } from "../../../../mod.ts";
import { stdioTransport } from "../../../../src/entries/stdio.ts";
import { NO_REPLACING, withBuiltin } from "../../../faulty_builtin.ts";
import { FIRST, SECOND } from "../../../server/second_failures/faulty.ts";
import { messagesOf } from "../../../server/second_failures/messages.ts";

const skip = NO_REPLACING;

/** A process that reads, and answers nothing. */
class FakeProcess extends EventEmitter {
  readonly pid = 4_999_999;
  readonly stdout = new PassThrough();
  readonly stderr = null;
  readonly reads = Promise.withResolvers<void>();
  writeError: Error | undefined;
  isReferenced = true;
  readonly stdin = new Writable({
    write: (_chunk, _encoding, done) => {
      this.reads.resolve();
      done(this.writeError);
    },
  });

  unref(): void {
    this.isReferenced = false;
  }

  /** Ends with its pipes, as most processes do. */
  end(status: number): void {
    this.emit("exit", status, null);
    this.unref();
    for (const pipe of [this.stdin, this.stdout]) pipe.destroy();
    this.emit("close", status, null);
  }

  get isGivenUp(): boolean {
    return !this.isReferenced && this.stdin.destroyed && this.stdout.destroyed;
  }
}

/** Timers of the end of a process, which a test lets expire: those of the same delay as the module's. */
class EndTimers {
  readonly #timers = new Map<object, () => void>();

  async during(work: () => Promise<void>): Promise<void> {
    const { setTimeout, clearTimeout } = globalThis;
    const set = (callback: () => void, delayMs?: number) => {
      if (![500, 2_000, 4_000, 6_000].includes(delayMs ?? 0)) return setTimeout(callback, delayMs);
      const timer = {};
      this.#timers.set(timer, callback);
      return timer;
    };
    const clear = (timer: object) => this.#timers.delete(timer) || clearTimeout(timer as never);
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    try {
      await work();
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    }
  }

  get size(): number {
    return this.#timers.size;
  }

  expire(): void {
    for (const [timer, callback] of [...this.#timers]) if (this.#timers.delete(timer)) callback();
  }
}

/** What a scenario has. */
interface Stage {
  readonly started: FakeProcess[];
  readonly timers: EndTimers;
  /** Signals that were sent, each of which fails. */
  readonly signals: string[];
  /** The process of that number, from 0, when it has read the first message. */
  reading(index: number): Promise<FakeProcess>;
  /** Calls, and returns the messages of its error. */
  call(): Promise<readonly string[]>;
  close(): void;
}

/** Runs a scenario with processes that are started by `spawn`, and signals that fail. */
async function run(spawn: (process: FakeProcess) => void, scenario: (stage: Stage) => Promise<void>): Promise<void> {
  const [started, signals]: [FakeProcess[], string[]] = [[], []];
  const unhandled: unknown[] = [];
  const note = (thrown: unknown): void => void unhandled.push(thrown);
  const { kill } = process;
  process.kill = (_pid, signal): never => {
    signals.push(String(signal));
    throw Object.assign(new Error(SECOND), { code: "EPERM" });
  };
  process.on("uncaughtException", note).on("unhandledRejection", note);
  const timers = new EndTimers();
  try {
    const start = () => {
      const child = new FakeProcess();
      started.push(child);
      spawn(child);
      setTimeout(() => child.emit("spawn"), 0);
      return child;
    };
    await withBuiltin("node:child_process", () => ({ spawn: start }), () =>
      timers.during(async () => {
        const client = createClient(stdioTransport("fake", [], { era: "legacy", maxLineLength: 100 }), {
          retry: { attempts: 0 },
        });
        const call = () => client.$.list().then(() => [], (thrown) => [thrown.code, ...messagesOf(thrown)]);
        const reading = async (index: number) => {
          while (started[index] === undefined) await new Promise((resolve) => setTimeout(resolve, 0));
          await started[index].reads.promise;
          return started[index];
        };
        await scenario({ started, signals, timers, reading, call, close: () => client.$.close() });
        client.$.close();
        started.forEach((child) => child.emit("exit", null, "SIGKILL"));
        timers.expire();
      }));
    ok(started.every(({ isGivenUp }) => isGivenUp), "no process is waited for");
    deepStrictEqual([unhandled, timers.size], [[], 0]);
  } finally {
    process.kill = kill;
    process.off("uncaughtException", note).off("unhandledRejection", note);
  }
}

test("a process that cannot be started: unavailable, and the next call tries again", { skip }, async () => {
  const fail = () => {
    throw new Error(FIRST);
  };
  await run(fail, async ({ started, call }) => {
    for (const count of [1, 2]) {
      const [code, message, problem, cause] = await call();
      deepStrictEqual([code, message], ["unavailable", "Cannot start the server"]);
      deepStrictEqual([problem, cause, started.length], [`fake: ${FIRST}`, FIRST, count]);
    }
    for (const child of started.splice(0)) child.removeAllListeners();
  });
});

test("a process that stops reading, and cannot be ended: the next call starts another one", { skip }, async () => {
  await run((child) => child.writeError = new Error(FIRST), async ({ started, signals, timers, call, close }) => {
    deepStrictEqual(await call(), ["unavailable", "The server has ended", `fake: ${FIRST}`, FIRST]);
    deepStrictEqual(await call(), ["unavailable", "The server has ended", `fake: ${FIRST}`, FIRST]);
    strictEqual(started.length, 2);
    close();
    timers.expire();
    deepStrictEqual(signals, ["SIGTERM", "SIGKILL", "SIGTERM", "SIGKILL"]);
  });
});

test(
  "a process that has ended, and whose pipes another one keeps open, ends the calls under way",
  { skip },
  async () => {
    await run(() => {}, async ({ started, timers, reading, call, close }) => {
      const calls = [call(), call()];
      const child = await reading(0);
      child.emit("exit", 3, null);
      timers.expire();
      for (const messages of await Promise.all(calls)) {
        deepStrictEqual(messages, ["unavailable", "The server has ended", "fake ended with status 3"]);
      }
      deepStrictEqual([child.isGivenUp, started.length], [true, 1]);
      close();
      strictEqual(timers.size, 0, "a client whose process has ended waits for nothing");
    });
  },
);

test("an error of its output, and of its end, ends the calls under way", { skip }, async () => {
  await run(() => {}, async ({ signals, reading, call }) => {
    const calling = call();
    const child = await reading(0);
    child.stdout.emit("error", new Error(FIRST));
    deepStrictEqual(await calling, ["unavailable", "The server has ended", `fake: ${FIRST}`]);
    deepStrictEqual([signals, child.isGivenUp], [["SIGKILL"], true]);
  });
});

test("a line that is too long, of a process that cannot be ended: nothing more is read", { skip }, async () => {
  await run(() => {}, async ({ signals, reading, call }) => {
    const calling = call();
    const child = await reading(0);
    child.stdout.write("x".repeat(101));
    strictEqual((await calling)[0], "result_too_large");
    deepStrictEqual([signals, child.isGivenUp], [["SIGKILL"], true]);
  });
});

test("the late end of a process does not end the calls of the one after it, whose own end does", { skip }, async () => {
  let count = 0;
  const spawn = (child: FakeProcess) => child.writeError = count++ === 0 ? new Error(FIRST) : undefined;
  await run(spawn, async ({ timers, reading, call }) => {
    strictEqual((await call())[0], "unavailable");
    const calling = call();
    const [first, second] = [await reading(0), await reading(1)];
    first.end(1);
    second.end(2);
    deepStrictEqual((await calling).at(-1), "fake ended with status 2");
    timers.expire();
  });
});
