/** `every` and `cron`: calls at times of the clock, once over all replicas. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, type Ctx, defineTool, ToolError } from "../../../mod.ts";
import { cron, every, type Schedule, type ScheduleOptions } from "../../../src/entries/schedules.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { createServer as createCoreServer } from "../../../src/entries/core.ts";
import type { FakeClock } from "../../../src/entries/testing.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { Gates, KEYS, pass, standstill } from "../promises/promised.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const number = v.object({ n: v.number() });

/** Replicas that share an engine, with a tool that notes when and as whom it is called. */
function opened(
  schedulesOf: (tool: ReturnType<typeof makeTool>) => readonly Schedule[],
  handler: (ctx: Ctx) => unknown = () => {},
) {
  const { clock, engine } = standstill();
  const shared: Engine = { ...engine, processId: undefined, close: () => {} };
  const calls: string[] = [];
  const tool = makeTool((n, ctx) => {
    calls.push(`${new Date(clock.now()).toISOString().slice(5, 16)} ${n} ${ctx.principal?.id ?? "-"}`);
    return handler(ctx);
  });
  const start = (schedules = schedulesOf(tool)) => {
    const bench = new Bench([tool], { keys: KEYS, clock, engine: shared, schedules });
    bench.server.work();
    return bench;
  };
  return { clock, start, calls, tool, engine: shared };
}

function makeTool(handler: (n: number, ctx: Ctx) => unknown) {
  return defineTool("t").describe("T").promise({ ttlMs: 2 * DAY, retries: 1 }).input(number)
    .handle(async ({ n }, ctx) => await handler(n, ctx));
}

/** Lets hours pass, one after the other. */
async function hours(clock: FakeClock, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await pass({ clock }, HOUR);
}

test("every() calls a tool at each time, once over three replicas", async () => {
  const { clock, start, calls } = opened((tool) => [every("1h", tool, { n: 1 })]);
  const replicas = [start(), start(), start()];
  await pass({ clock }, 0);
  await hours(clock, 3);
  deepStrictEqual(calls, ["01-01T01:00 1 -", "01-01T02:00 1 -", "01-01T03:00 1 -"]);
  for (const { server } of replicas) await server.close(0);
  await hours(clock, 3);
  strictEqual(calls.length, 3, "closed servers schedule nothing");
});

test("a replica that starts later, and one that is alone after the others, have the same times", async () => {
  const { clock, start, calls } = opened((
    tool,
  ) => [every("2h", tool, { n: 1 }, { principal: { id: "ada", scopes: [] } })]);
  const first = start();
  await pass({ clock }, 0);
  await hours(clock, 3);
  const second = start();
  await pass({ clock }, 0);
  await first.server.close(0);
  await hours(clock, 3);
  deepStrictEqual(calls, ["01-01T02:00 1 ada", "01-01T04:00 1 ada", "01-01T06:00 1 ada"]);
  await second.server.close(0);
});

test("cron() calls at the times of its zone, over the change of clocks", async () => {
  const at = (schedule: Schedule, from: string, count: number) => {
    const times: string[] = [];
    let ms = Date.parse(from);
    for (let n = 0; n < count; n++) times.push(new Date(ms = schedule["~definition"].ticks.after(ms)!).toISOString());
    return times;
  };
  const tool = makeTool(() => {});
  const berlin = (expression: string) => cron(expression, tool, { n: 1 }, { timeZone: "Europe/Berlin" });
  deepStrictEqual(at(berlin("0 7 * * 1"), "2026-03-27T00:00:00Z", 2), [
    "2026-03-30T05:00:00.000Z",
    "2026-04-06T05:00:00.000Z",
  ]);
  // 02:30 does not exist on 29 March, and exists twice on 25 October.
  deepStrictEqual(at(berlin("30 2 * * *"), "2026-03-28T03:00:00Z", 2), [
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
  deepStrictEqual(at(berlin("30 2 * * *"), "2026-10-24T03:00:00Z", 2), [
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
  const { before } = berlin("0 3 * * *")["~definition"].ticks;
  strictEqual(new Date(before(Date.parse("2026-01-02T00:00:00Z"))!).toISOString(), "2026-01-01T02:00:00.000Z");
  const { clock, start, calls } = opened((tool) => [cron("0 7 * * *", tool, { n: 1 })]);
  const { server } = start();
  await pass({ clock }, 0);
  await hours(clock, 48);
  deepStrictEqual(calls, ["01-01T07:00 1 -", "01-02T07:00 1 -"]);
  await server.close(0);
});

for (const [overlap, expected] of [["skip", [1, 1, 1, 1, 2]], ["all", [1, 2, 3, 4, 5]]] as const) {
  test(`overlap: ${overlap}`, async () => {
    const gates = new Gates();
    const { clock, start } = opened((tool) => [every("1h", tool, { n: 1 }, { overlap })], () => gates.wait());
    const { server } = start();
    await pass({ clock }, 0);
    const begun: number[] = [];
    for (let hour = 0; hour < 5; hour++) {
      if (hour === 4) await gates.end("done", 0);
      await hours(clock, 1);
      begun.push(gates.begun);
    }
    deepStrictEqual(begun, expected);
    const closed = server.close(0);
    await hours(clock, 1);
    await closed;
  });
}

test("a call that sleeps is not over", async () => {
  const { clock, start, calls } = opened((tool) => [every("1h", tool, { n: 1 })], (ctx) => ctx.sleep("s", 1.5 * HOUR));
  const { server } = start();
  await pass({ clock }, 0);
  for (let half = 0; half < 8; half++) await pass({ clock }, HOUR / 2);
  deepStrictEqual(calls.map((call) => call.slice(6, 11)), ["01:00", "02:30", "03:00"]);
  await server.close(0);
});

test("catchUpMs: the latest missed call is made at the start, and no other one", async () => {
  for (const [catchUpMs, expected] of [[0, []], [DAY, ["01-02T13:30 1 -"]], [HOUR / 4, []]] as const) {
    const { clock, start, calls } = opened((tool) => [every("1h", tool, { n: 1 }, { catchUpMs })]);
    clock.tick(37.5 * HOUR);
    const replicas = [start(), start()];
    await pass({ clock }, 0);
    deepStrictEqual(calls, expected, `${catchUpMs}`);
    for (const { server } of replicas) await server.close(0);
  }
});

test("a purge keeps calls of schedules, so that a replica that starts later does not make them again", async () => {
  const { clock, start, calls } = opened((tool) => [every("1h", tool, { n: 1 }, { catchUpMs: DAY })]);
  clock.tick(37.5 * HOUR);
  const first = start();
  await pass({ clock }, 0);
  deepStrictEqual(calls, ["01-02T13:30 1 -"]);
  const { purged } = await jobsOf(first.server).purge({ all: true });
  const later = start();
  await pass({ clock }, 0);
  deepStrictEqual([purged, calls], [0, ["01-02T13:30 1 -"]]);
  for (const { server } of [first, later]) await server.close(0);
});

test("a schedule with other times or arguments is another one: the pending call of the old one is left out", async () => {
  const { clock, start, calls, tool } = opened((tool) => [every("1h", tool, { n: 1 }, { name: "mine" })]);
  const old = start();
  await pass({ clock }, 0);
  await old.server.close(0);
  const next = start([every("1h", tool, { n: 2 }, { name: "mine" })]);
  await pass({ clock }, 0);
  await hours(clock, 2);
  deepStrictEqual(calls, ["01-01T01:00 2 -", "01-01T02:00 2 -"]);
  await next.server.close(0);
});

/** What a call of a schedule does before its last step: a run of it ends there. */
const PAUSES: Readonly<Record<string, (ctx: Ctx, run: number) => unknown>> = {
  sleep: (ctx) => ctx.sleep("night", 3 * HOUR),
  wait: (ctx) => ctx.waitFor("approval", number, { timeoutMs: 3 * HOUR }),
  retry(_, run) {
    if (run === 1) throw new ToolError("unavailable", "Again");
  },
  // The server is closed meanwhile, which does not count as an attempt.
  shutdown(ctx, run) {
    if (run > 1) return;
    return new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("aborted"))));
  },
};

for (const [pause, pauseOf] of Object.entries(PAUSES)) {
  for (const change of ["has other times", "is removed"]) {
    test(`a call that has begun is continued after a ${pause}, although its schedule ${change}`, async () => {
      const shipped: number[] = [];
      const { clock, start, calls, tool } = opened((tool) => [every("6h", tool, { n: 1 })], async (ctx) => {
        await pauseOf(ctx, calls.length);
        await ctx.step("ship", () => shipped.push(calls.length));
      });
      const old = start();
      await pass({ clock }, 0);
      await hours(clock, 6);
      strictEqual(calls.length, 1);
      const closed = old.server.close(0);
      await pass({ clock }, 0);
      await closed;
      const next = start(change === "is removed" ? [] : [every("24h", tool, { n: 1 })]);
      await pass({ clock }, 0);
      await hours(clock, 4);
      deepStrictEqual([calls.length, shipped], [2, [2]]);
      await next.server.close(0);
    });
  }
}

test("a replica without the schedule leaves the call to others", async () => {
  const { clock, start, calls } = opened((tool) => [every("1h", tool, { n: 1 })]);
  const old = start([]);
  const next = start();
  await pass({ clock }, 0);
  await pass({ clock }, HOUR);
  await pass({ clock }, 10_000);
  strictEqual(calls.length, 0);
  await old.server.close(0);
  await pass({ clock }, 10_000);
  strictEqual(calls.length, 1);
  await next.server.close(0);
});

test("the pending call of a schedule that was removed is cancelled after five minutes", async () => {
  const { clock, start, calls, engine } = opened((tool) => [every("1h", tool, { n: 1 })]);
  const ids: string[] = [];
  const { insert } = engine;
  Object.assign(engine, { insert: (...args: Parameters<Engine["insert"]>) => (ids.push(args[0].id), insert(...args)) });
  const old = start();
  await pass({ clock }, 0);
  await old.server.close(0);
  const next = start([]);
  await pass({ clock }, HOUR);
  strictEqual((await engine.get(ids[0]!))?.state, "queued");
  for (let n = 0; n < 31; n++) await pass({ clock }, 10_000);
  strictEqual((await engine.get(ids[0]!))?.state, "cancelled");
  strictEqual(calls.length, 0);
  await next.server.close(0);
});

test("an engine that is away when a call is stored is asked again", async () => {
  const { clock, start, calls, engine } = opened((tool) => [every("1h", tool, { n: 1 })]);
  const { insert } = engine;
  let isAway = true;
  Object.assign(engine, {
    insert(...args: Parameters<Engine["insert"]>) {
      if (isAway) throw new Error("away");
      return insert(...args);
    },
  });
  const { server, log } = start();
  await pass({ clock }, HOUR + 60_000);
  isAway = false;
  await pass({ clock }, 5_000);
  deepStrictEqual(calls.map((call) => call.slice(0, 11)), ["01-01T01:01"]);
  ok(log.lines.some(({ level }) => level === "error"));
  await server.close(0);
});

test("an engine that fails while a call is decided on: the call is decided on again", async () => {
  const gates = new Gates();
  const { clock, start, engine } = opened((tool) => [every("1h", tool, { n: 1 })], () => gates.wait());
  const ids: string[] = [];
  const { insert } = engine;
  Object.assign(engine, { insert: (...args: Parameters<Engine["insert"]>) => (ids.push(args[0].id), insert(...args)) });
  const { server } = start();
  await pass({ clock }, 0);
  await hours(clock, 1);
  const { get, replace } = engine;
  const first = ids[0];
  let replaced: string | undefined = first;
  let failures = 0;
  Object.assign(engine, {
    replace: (...args: Parameters<Engine["replace"]>) => (replaced = args[0].id, replace(...args)),
    get(id: string) {
      // The second call was claimed, and the first one is looked up.
      if (id === first && replaced !== first && failures++ === 0) throw new Error("away");
      return get(id);
    },
  });
  await hours(clock, 1);
  ok(failures > 0);
  await pass({ clock }, 0);
  deepStrictEqual([gates.begun, (await engine.get(ids[1]!))?.state], [1, "cancelled"]);
  await gates.end("done", 0);
  const closed = server.close(0);
  await pass({ clock }, HOUR);
  await closed;
});

test("every() takes milliseconds and units, and refuses others", () => {
  const tool = makeTool(() => {});
  const periodOf = (period: string | number) => every(period, tool, { n: 1 })["~definition"].ticks.after(0);
  deepStrictEqual(["1s", "90s", "1.5h", "2d", "1w", 1_500].map(periodOf), [1e3, 9e4, 5.4e6, 1.728e8, 6.048e8, 1_500]);
  for (const period of ["", "1", "0s", "-1h", "1 year", 0, 999, 1.5, Number.NaN, 1_000.5]) {
    throws(() => periodOf(period), RangeError, `${period}`);
  }
});

test("invalid schedules are refused where they are made", () => {
  const tool = makeTool(() => {});
  const plain = defineTool("p").describe("P").handle(() => 1);
  throws(() => every("1h", plain, {}), /a finished tool with \.promise\(\)/);
  throws(() => every("1h", tool, { n: 1 }, { catchUpMs: 3 * DAY }), /catchUpMs must be a whole number from 0 to ttlMs/);
  throws(() => every("1h", tool, { n: 1 }, { overlap: "queue" } as unknown as ScheduleOptions), /overlap/);
  throws(() => every("1h", tool, { n: 1 }, { timeZone: "UTC" } as ScheduleOptions), /timeZone/);
  for (const expression of ["", "x", "* * * *", "* * * * * *", "60 * * * *", "0 0 30 2 *"]) {
    throws(() => cron(expression, tool, { n: 1 }), TypeError, expression);
  }
  throws(() => cron("0 7 * * *", tool, { n: 1 }, { timeZone: "Mars/Olympus" }), /Mars/);
});

test("a server refuses schedules that it cannot run", () => {
  const tool = makeTool(() => {});
  const schedule = every("1h", tool, { n: 1 });
  throws(() => createServer({ tools: [], schedules: [schedule] }), /calls t, which is not among its tools/);
  throws(() => createServer({ tools: [tool], schedules: [schedule, schedule] }), /two schedules are "t every 1h"/);
  const wrong = every("1h", tool, { n: "one" as unknown as number });
  throws(
    () => createServer({ tools: [tool], schedules: [wrong] }),
    /arguments of the schedule "t every 1h" do not fit t: input\.n/,
  );
  throws(() => createServer({ tools: [tool], schedules: ["1h"] as unknown as Schedule[] }), /schedules/);
  try {
    createCoreServer({ tools: [], schedules: [schedule] });
    ok(false);
  } catch (error) {
    match((error as Error).message, /schedules/);
  }
});

test("arguments are left out for a tool that needs none", async () => {
  const { clock, engine } = standstill();
  const calls: unknown[] = [];
  const beat = defineTool("beat").describe("Beat").promise().handle((input, ctx) => {
    calls.push([input, ctx.principal?.id]);
  });
  const picky = makeTool(() => {});
  const schedules = [every("1h", beat), cron("30 * * * *", beat, undefined, { principal: { id: "ada", scopes: [] } })];
  const { server } = new Bench([beat], { keys: KEYS, clock, engine, schedules });
  server.work();
  await pass({ clock }, 0);
  await pass({ clock }, HOUR / 2);
  await pass({ clock }, HOUR / 2);
  deepStrictEqual(calls, [[{}, "ada"], [{}, undefined]]);
  // @ts-expect-error: this tool needs arguments
  ok(every("1h", picky));
});
