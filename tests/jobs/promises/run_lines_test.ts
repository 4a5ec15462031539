/** The log has a line for the begin and the end of each run of a job: attempts, runs that are taken over, and calls that are promised. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type Logger } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, Gates, KEYS, pass, redeem, standstill, watch } from "./promised.ts";

const t = defineTool("t").describe("T");

/** A logger, and its lines about runs: level, message, attempt and outcome. */
function kept() {
  const lines: unknown[][] = [];
  const write = (level: string) => (message: string, fields: Record<string, unknown> = {}) => {
    if (/of a job/.test(message)) lines.push([level, message, fields["attempt"], fields["outcome"]]);
  };
  const logger: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  return { logger, lines };
}

test("attempts of a job are logged, from the second one on as warnings", async () => {
  const { logger, lines } = kept();
  const { clock, engine } = standstill();
  const tool = t.promise({ retries: 1 }).handle((_, ctx) => {
    if (ctx.attempt === 1) throw new Error("The first attempt breaks");
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine, logger });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  await pass({ clock }, 2_000);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  deepStrictEqual(lines, [
    ["info", "Run of a job began", 1, undefined],
    ["warn", "Run of a job ended", 1, "error"],
    ["warn", "Run of a job began", 2, undefined],
    ["info", "Run of a job ended", 2, "answer"],
  ]);
});

test("a call that is promised, and a run that a replica takes over, are logged", async () => {
  const { logger, lines } = kept();
  const { clock, engine } = standstill();
  const gates = new Gates();
  const takeovers: boolean[] = [];
  const tool = t.promise({ budgetMs: 1_000, retries: 1 }).handle(() => gates.wait());
  const options = { keys: KEYS, clock, engine, logger };
  const first = new Bench([tool], options);
  const call = watch(first.call("t"));
  await pass({ clock }, 0);
  await pass({ clock }, 1_000);
  const { token } = asPromise(call.settled);
  deepStrictEqual(lines.splice(0), [
    ["info", "Call is promised: its run continues as that of a job", 1, undefined],
  ]);
  const [id = ""] = (await engine.list?.({}, 1))?.ids ?? [];
  // The job is delivered again, as it is when its process has died.
  let run: Promise<void> | undefined;
  const taking = new Bench([tool], {
    ...options,
    engine: {
      ...engine,
      work(start) {
        run = start(id);
        return { stop: () => Promise.resolve() };
      },
    },
    jobMiddleware: [(ctx, next) => {
      takeovers.push(ctx.isTakenOver);
      return next();
    }],
  });
  taking.server.work();
  await pass({ clock }, 0);
  await gates.end("done");
  await run;
  deepStrictEqual(takeovers, [true]);
  deepStrictEqual(
    lines.filter(([, line]) => line !== "Run of a job ended"),
    [["warn", "Run of a job was taken over: its process has died", 2, undefined]],
  );
  strictEqual(asAnswer(await redeem(taking, token)), "done");
});
