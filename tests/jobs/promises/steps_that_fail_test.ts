/** Steps that fail: they are tried again, and one that failed finally is kept as failed, so that `catch` is final. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool, Failure, ToolError } from "../../../mod.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  changed,
  KEYS,
  pass,
  redeem,
  standstill,
  watchJobs,
} from "./promised.ts";

const HOUR = 3_600_000;

type PromiseOptions = NonNullable<Parameters<ReturnType<typeof defineTool<"t">>["promise"]>[0]>;
type Handler = (input: Record<string, unknown>, ctx: Ctx) => unknown;

/** A job that has begun. */
async function begun(handler: Handler, options: PromiseOptions = {}) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const runs: number[] = [];
  const lines: string[] = [];
  const tool = defineTool("t").describe("T").promise({ ttlMs: 100 * HOUR, ...options })
    .handle((input, ctx) => (runs.push(ctx.attempt), handler(input, ctx)));
  const warn = (message: string) => void lines.push(message);
  const logger = { debug() {}, info() {}, warn, error() {} };
  const bench = new Bench([tool], {
    keys: KEYS,
    clock,
    engine: changed(jobs.engine, { processId: undefined }),
    logger,
  });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  return { bench, clock, jobs, runs, lines, token, result: () => redeem(bench, token) };
}

test("a saga whose shipping fails for good charges, refunds, and does not ship when the job is tried again", async () => {
  const log: string[] = [];
  let isDown = true;
  const { clock, result, runs } = await begun(async (_, ctx) => {
    await ctx.step("charge", () => log.push("charge"));
    try {
      await ctx.step("ship", () => {
        if (isDown) throw new Error("The warehouse does not answer");
        log.push("ship");
      }, { retries: 1 });
    } catch (error) {
      await ctx.step("refund", () => log.push("refund"));
      isDown = false;
      throw error;
    }
  });
  for (let n = 0; n < 20; n++) await pass({ clock }, 1_000);
  deepStrictEqual(log, ["charge", "refund"]);
  strictEqual(runs.length, 1, "the handler is not run again after what it has given up");
  const data = asFailure(await result(), "attempts_exhausted") as Record<string, unknown>;
  deepStrictEqual([data["attempts"], data["step"]], [2, "ship"]);
});

test("a refund in catch that another error follows is done once, and shipping is not tried by later attempts", async () => {
  const log: string[] = [];
  const { clock, result, runs } = await begun(async (_, ctx) => {
    await ctx.step("charge", () => log.push("charge"));
    try {
      await ctx.step("ship", () => {
        log.push("ship");
        if (log.length < 3) throw new Error("The warehouse does not answer");
      }, { retries: 0 });
    } catch {
      await ctx.step("refund", () => log.push("refund"));
      throw new Error("The ledger does not answer");
    }
  });
  for (let n = 0; n < 20; n++) await pass({ clock }, 1_000);
  deepStrictEqual(log, ["charge", "ship", "refund"]);
  strictEqual(runs.length, 3);
  asFailure(await result(), "attempts_exhausted");
});

test("a fallback pays once: the step before it stays failed after a sleep", async () => {
  const log: string[] = [];
  const { clock, result } = await begun(async (_, ctx) => {
    const paid = await ctx.step("card", () => {
      log.push("card");
      if (log.length === 1) throw new Error("declined");
      return "card";
    }, { retries: 0 }).catch(() => ctx.step("invoice", () => (log.push("invoice"), "invoice")));
    await ctx.sleep("night", HOUR);
    return paid;
  });
  await pass({ clock }, HOUR);
  strictEqual(asAnswer(await result()), "invoice");
  deepStrictEqual(log, ["card", "invoice"]);
});

test("a caught step of a call without a job stays failed over its questions", async () => {
  const log: string[] = [];
  const tool = defineTool("t").describe("T").handle(async (_, ctx) => {
    const way = await ctx.step("a", () => {
      log.push("a");
      throw new Error("down");
    }).catch((error: Error) => error.message);
    const { action } = await ctx.elicit("q", { message: "?", schema: v.object({}) });
    return `${way} ${action}`;
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  const result = await bench.call("t", {}, { meta: { continuation, responses: { q: accept({}) } } });
  strictEqual(asAnswer(result), "down accept");
  deepStrictEqual(log, ["a"]);
});

class Declined extends Error {
  override readonly name = "Declined";
  readonly reason = "limit";
  readonly status = 402;
  readonly token = "a secret";
}

for (
  const [title, make, seen] of [
    ["an error of a class", () => new Declined("no"), ["Declined", "no", undefined, 402]],
    ["a TypeError", () => new TypeError("bad"), ["TypeError", "bad", undefined, undefined]],
    ["a Failure", () => new Failure("locked", "It is locked"), ["Failure", "It is locked", "locked", undefined]],
    ["a refusal", () => new ToolError("conflict", "It is taken"), ["ToolError", "It is taken", "conflict", undefined]],
    ["an error with a code", () => Object.assign(new Error("gone"), { code: "EPIPE" }), [
      "Error",
      "gone",
      "EPIPE",
      undefined,
    ]],
    ["text", () => "oops", ["Error", "oops", undefined, undefined]],
  ] as const
) {
  test(`a handler catches the same error in each run: ${title}`, async () => {
    const caught: unknown[] = [];
    const { clock, result } = await begun(async (_, ctx) => {
      await ctx.step("a", () => {
        throw make();
      }, { retries: 0 }).catch((error) => {
        ok(error instanceof Error);
        const { name, message, code, status } = error as Error & { code?: string; status?: number };
        caught.push([name, message, code, status]);
        strictEqual(error instanceof Failure, name === "Failure");
        strictEqual(error instanceof ToolError, name === "ToolError");
        strictEqual(error instanceof TypeError, name === "TypeError");
      });
      await ctx.sleep("s", HOUR);
    });
    await pass({ clock }, HOUR);
    asAnswer(await result());
    deepStrictEqual(caught, [seen, seen]);
  });
}

test("a step is tried as often as the tool has retries, in place for a second, and later without a slot", async () => {
  const tries: number[] = [];
  const { clock, jobs, result, runs, lines } = await begun(async (_, ctx) =>
    await ctx.step("a", ({ attempt }) => {
      tries.push(attempt);
      if (attempt < 3) throw new Error("down");
      return "up";
    })
  );
  deepStrictEqual(tries, [1]);
  await pass({ clock }, 1_000);
  deepStrictEqual(tries, [1, 2]);
  strictEqual((await jobs.get())?.state, "waiting", "two seconds are too long for a slot");
  await pass({ clock }, 1_999);
  deepStrictEqual(tries, [1, 2]);
  await pass({ clock }, 1);
  strictEqual(asAnswer(await result()), "up");
  deepStrictEqual([tries, runs], [[1, 2, 3], [1, 1]], "a step that is tried again is no attempt of the job");
  strictEqual(lines.filter((line) => line === "A step failed, and is tried again").length, 2);
});

test("the options of a step replace those of the tool: number, delays and errors", async () => {
  const tries: number[] = [];
  const { clock, result } = await begun(async (_, ctx) => {
    const options = {
      retries: 9,
      backoff: { minMs: HOUR, factor: 3, maxMs: 4 * HOUR },
      retryIf: (error: unknown) => (error as Error).message !== "enough",
    };
    return await ctx.step("a", ({ attempt }) => {
      tries.push(attempt);
      throw new Error(attempt === 4 ? "enough" : "down");
    }, options).catch((error: Error) => error.message);
  });
  const seen: number[] = [];
  for (const hours of [1, 2, 1, 3, 1]) {
    await pass({ clock }, hours * HOUR);
    seen.push(tries.length);
  }
  deepStrictEqual(seen, [2, 2, 3, 3, 4], "after 1, 4 and 8 hours");
  strictEqual(asAnswer(await result()), "enough");
});

test("retryAfterMs of a ToolError is obeyed, by steps and by jobs", async () => {
  let times = 0;
  const busy = () => {
    if (times++ === 0) throw new ToolError("rate_limited", "Later", { retryAfterMs: 2 * HOUR });
    return "done";
  };
  for (const work of [(_: unknown, ctx: Ctx) => ctx.step("a", busy), busy]) {
    times = 0;
    const { clock, result } = await begun(work);
    await pass({ clock }, 2 * HOUR - 1);
    strictEqual(times, 1);
    await pass({ clock }, 1);
    strictEqual(asAnswer(await result()), "done");
  }
});

test("a try ends at timeoutMs of the step: its signal aborts, and the next one begins", async () => {
  const reasons: unknown[] = [];
  const { clock, result } = await begun((_, ctx) =>
    ctx.step("a", async ({ signal, attempt }) => {
      if (attempt === 2) return "quick";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      reasons.push((signal.reason as ToolError).code);
      return "late";
    }, { timeoutMs: 5_000 })
  );
  await pass({ clock }, 5_000);
  await pass({ clock }, 1_000);
  strictEqual(asAnswer(await result()), "quick");
  deepStrictEqual(reasons, ["deadline_exceeded"]);
});

test("steps at once that wait for their next try keep their result, and do not repeat the others", async () => {
  const log: string[] = [];
  const flaky = (key: string) => ({ attempt }: { readonly attempt: number }) => {
    log.push(`${key}${attempt}`);
    if (attempt === 1) throw new Error("down");
    return key;
  };
  const { clock, result } = await begun(async (_, ctx) => {
    const backoff = { minMs: HOUR };
    const [a, b, c] = await Promise.all([
      ctx.step("a", flaky("a"), { backoff }),
      ctx.step("b", () => (log.push("b"), "b")),
      ctx.step("c", flaky("c"), { backoff }),
    ]);
    return a + b + c;
  });
  await pass({ clock }, HOUR);
  strictEqual(asAnswer(await result()), "abc");
  deepStrictEqual(log.toSorted(), ["a1", "a2", "b", "c1", "c2"]);
});

test("a process that dies between two tries of a step does not begin them again", async () => {
  const tries: number[] = [];
  const first = await begun(async (_, ctx) =>
    await ctx.step("a", ({ attempt }) => {
      tries.push(attempt);
      throw new Error("down");
    }, { retries: 2 })
  );
  await pass(first, 1_000);
  strictEqual((await first.jobs.get())?.state, "waiting");
  deepStrictEqual((await first.jobs.get())?.memo.waits?.["retry a"]?.tries, 2);
  await pass(first, 2_000);
  deepStrictEqual(tries, [1, 2, 3]);
  asFailure(await first.result(), "attempts_exhausted");
});

test(".promise({ retries: { attempts, minMs, factor, maxMs } }) spaces the attempts of a job", async () => {
  const { clock, runs, result } = await begun(() => {
    throw new Error("down");
  }, { retries: { attempts: 4, minMs: 10_000, factor: 3, maxMs: 50_000 } });
  const seen: number[] = [];
  for (const ms of [9_999, 1, 30_000, 49_999, 1]) {
    await pass({ clock }, ms);
    seen.push(runs.length);
  }
  deepStrictEqual(seen, [1, 2, 3, 3, 4]);
  asFailure(await result(), "attempts_exhausted");
});

test("an operator begins a job again from its failed step, but not one whose handler has undone steps", async () => {
  const log: string[] = [];
  let isDown = true;
  const ship = async (ctx: Ctx) => {
    await ctx.step("charge", () => log.push("charge"));
    await ctx.step("ship", () => {
      log.push("ship");
      if (isDown) throw new Error("The warehouse does not answer");
    });
    return "shipped";
  };
  const options = { retries: 0, keepFailed: true };
  const first = await begun((_, ctx) => ship(ctx), options);
  const [id = ""] = first.jobs.ids;
  const operator = jobsOf(first.bench.server);
  const { steps, canRetry } = await operator.inspect(id);
  deepStrictEqual(steps.map(({ key, failed }) => [key, failed?.message, failed?.tries]), [
    ["charge", undefined, undefined],
    ["ship", "The warehouse does not answer", 1],
  ]);
  ok(canRetry);
  isDown = false;
  await operator.retry(id);
  await pass(first, 0);
  strictEqual(asAnswer(await first.result()), "shipped");
  deepStrictEqual(log, ["charge", "ship", "ship"]);

  isDown = true;
  const second = await begun(async (_, ctx) => {
    try {
      await ship(ctx);
    } catch (error) {
      await ctx.step("refund", () => log.push("refund"));
      throw error;
    }
  }, options);
  const [other = ""] = second.jobs.ids;
  const undone = await jobsOf(second.bench.server).inspect(other);
  strictEqual(undone.canRetry, false);
  deepStrictEqual(undone.steps.filter(({ isUndo }) => isUndo).map(({ key }) => key), ["refund"]);
  await rejects(jobsOf(second.bench.server).retry(other), /after the step "ship" had failed, its handler ran "refund"/);
});

test("a job whose process died in its last attempt, after its handler had undone steps, is not begun again", async () => {
  const { clock, engine } = standstill();
  // A process that dies has no lease any more.
  const jobs = watchJobs(changed(engine, { processId: undefined, lease: () => () => {} }));
  const tool = defineTool("t").describe("T").promise({ ttlMs: 100 * HOUR, retries: 0, keepFailed: true })
    .handle(async (_, ctx) => {
      await ctx.step("charge", () => 1);
      const ship = () => {
        throw new Error("down");
      };
      await ctx.step("ship", ship).catch(() => ctx.step("refund", () => 1));
      await new Promise(() => {});
    });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  void bench.call("t", {}, { meta: { idempotencyKey: "k" } });
  await pass({ clock }, 0);
  await pass({ clock }, 3_000);
  const [id = ""] = jobs.ids;
  const { outcome, canRetry } = await jobsOf(bench.server).inspect(id);
  deepStrictEqual([outcome?.code, canRetry], ["attempts_exhausted", false]);
  await rejects(jobsOf(bench.server).retry(id), /after the step "ship" had failed, its handler ran "refund"/);
});

test("mistakes in the options of a step, and of retries, are refused with the name", async () => {
  const { result } = await begun((_, ctx) => ctx.step("a", () => 1, { retry: 3 } as object));
  const failure = await result();
  asFailure(failure, "invalid_handler");
  match((failure as { message: string }).message, /step "a": there is no option "retry"; did you mean "retryIf"\?/);
  for (const retries of [-1, { attempts: 0 }, { tries: 3 }, { jitter: 2 }] as PromiseOptions["retries"][]) {
    let message = "";
    try {
      defineTool("t").describe("T").promise({ retries });
    } catch (error) {
      message = (error as Error).message;
    }
    match(message, /^Cannot (promise answers|retry work) of tool "t"/);
  }
});
