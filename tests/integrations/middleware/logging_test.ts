import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool, Failure, type Logger, ToolError } from "../../../mod.ts";
import { logging } from "../../../src/entries/middleware.ts";
import { Bench, KeptLog } from "../../core/dispatch/harness.ts";

const t = defineTool("t").describe("T");
const thrower = (thrown: unknown) => () => {
  throw thrown;
};

for (
  const [how, handler, level, reply] of [
    ["answers", () => "secret", "debug", { outcome: "answer" }],
    ["fails", thrower(new Failure("no", "secret")), "debug", { outcome: "failure", code: "no" }],
    ["is refused", thrower(new ToolError("conflict", "secret")), "warn", { outcome: "error", code: "conflict" }],
    ["breaks", thrower(new Error("secret")), "error", { outcome: "error", code: "internal" }],
  ] as const
) {
  test(`logging() writes one line for a call that ${how}, without what was said`, async () => {
    const log = new KeptLog();
    const tool = t.handle(async (_, ctx) => {
      await Promise.resolve();
      bench.clock.tick(5);
      ok(ctx.callId !== "");
      return handler();
    });
    const bench = new Bench([tool], { middleware: [logging({ logger: log, level: "debug" })] });
    await bench.call("t", { secret: 1 }, { peer: { principal: { id: "ada" } } });
    const [line, ...more] = log.lines;
    const { callId, ...fields } = line?.fields ?? {};
    strictEqual(typeof callId, "string");
    deepStrictEqual([line?.level, line?.message, fields, more], [
      level,
      "Called",
      { tool: "t", wire: "test", principal: "ada", tookMs: 5, ...reply },
      [],
    ]);
    ok(!JSON.stringify(line).includes("secret"));
  });
}

test("logging() lets no logger break a call", async () => {
  const broken = thrower(new Error("full"));
  const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken };
  strictEqual((await new Bench([t.handle(() => 1)], { middleware: [logging({ logger })] }).call("t")).kind, "answer");
});
