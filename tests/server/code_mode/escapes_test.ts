/** What hostile programs cannot do: their time is bounded by the limits of the executor, which the tests do not measure. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import type { Executor, GuestTurn } from "../../../src/entries/code.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { type Escape, ESCAPES } from "./escapes.ts";
import { inline, threads } from "./executors.ts";
import { serverOf } from "./fixture.ts";

const LIMITS = { memoryMb: 24, calls: 100, logChars: 1_000 };

/** Time of a program that has to return, in milliseconds: more than it needs on any machine. */
const AMPLE_MS = 60_000;

/** Time of a program that has to be stopped, in milliseconds. */
const SHORT_MS = 50;

/** Runs a program whose calls answer with their arguments. */
async function runAlone(executor: Executor, source: string, cpuMs: number) {
  const guest = await executor.create({ source, nowMs: 0, seed: 1, limits: { ...LIMITS, cpuMs } });
  const logs: string[] = [];
  const calls: GuestTurn["calls"][number][] = [];
  try {
    let turn = await guest.start();
    for (;;) {
      logs.push(...turn.logs);
      calls.push(...turn.calls);
      const call = calls.shift();
      if (turn.end !== undefined || call === undefined) return { end: turn.end, logs };
      turn = await guest.resume({ id: call.id, isError: false, json: call.input });
    }
  } finally {
    guest.close();
  }
}

function assertContained({ want }: Escape, { end, logs }: Awaited<ReturnType<typeof runAlone>>): void {
  const kind = end === undefined ? "stuck" : "error" in end ? end.error.kind : "value";
  const shown = `${JSON.stringify(end)}`.slice(0, 500);
  if ("kinds" in want) ok(want.kinds.includes(kind), `${kind}: ${shown}`);
  else {
    ok(end !== undefined && "json" in end, shown);
    deepStrictEqual(JSON.parse(end.json), want.value);
  }
  ok(logs.join("").length < 2 * LIMITS.logChars, "the log is bounded");
  strictEqual("polluted" in {}, false);
  strictEqual("out" in globalThis, false);
  strictEqual(Object.getPrototypeOf([]).push, Array.prototype.push);
}

for (const [where, executor] of [["inline", inline], ["in a thread", threads]] as const) {
  for (const escape of ESCAPES) {
    test(`a program that ${escape.kind} is contained ${where}: ${escape.name}`, async () => {
      const { source, want } = escape;
      const isStopped = "kinds" in want && want.kinds.includes("limit");
      assertContained(escape, await runAlone(executor, source, isStopped ? SHORT_MS : AMPLE_MS));
      if (executor === threads) return;
      // What is left of the process is sound.
      const { end } = await runAlone(
        executor,
        "return (await tools.echo({ a: [1, 2] })).a.map((one) => one * 2)",
        AMPLE_MS,
      );
      deepStrictEqual(end, { json: "[2,4]" });
    });
  }
}

test("there are programs of each kind, and at least 39", () => {
  ok(ESCAPES.length >= 39, `${ESCAPES.length}`);
  strictEqual(new Set(ESCAPES.map(({ kind }) => kind)).size, 7);
});

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

test("while a program computes in its thread, other requests are answered", {
  skip: isWorker && "workerd has no threads",
}, async () => {
  const ping = defineTool("ping").describe("Ping").handle(() => "pong");
  // The time of the program is far beyond the others': they are answered before it ends, however slow the machine is.
  const server = serverOf([ping], { executor: threads, limits: { cpuMs: 2_000 } });
  const client = testClient(server);
  let isOver = false;
  const endless = client.$.call("run_code", { source: "for (;;) ;" }).catch(({ code }) => {
    isOver = true;
    return code;
  });
  let answered = 0;
  for (; answered < 20 && !isOver; answered++) strictEqual(await client.$.call("ping"), "pong");
  strictEqual(answered, 20);
  strictEqual(await endless, "program");
  await server.close();
});
