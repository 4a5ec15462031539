/** Members of a handler's ctx work when a pattern takes them out, as handlers of other libraries do. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { testClient } from "../../src/entries/testing.ts";

test("a handler may take log, progress, step, elicit, validate and fail out of its ctx", async () => {
  const lines: unknown[] = [];
  const write = (text: string) => void lines.push(text);
  const tool = defineTool("t").describe("T").errors({ no: null })
    .handle(async (_, { log, progress, step, elicit, validate, meta, fail, signal }) => {
      log("info", "begun");
      progress(1, 2);
      meta({ "x/y": 1 });
      const two = await step("two", () => validate(v.number(), 2));
      const answer = await elicit("sure", { message: "Sure?", schema: v.object({ sure: v.boolean() }) });
      if (answer.action !== "accept" || signal.aborted) throw fail("no", "Not sure");
      return two;
    });
  const server = createServer({ tools: [tool], logger: { debug: write, info: write, warn: write, error: write } });
  const seen: unknown[] = [];
  const accepting = testClient(server, { onElicitation: () => ({ action: "accept", content: { sure: true } }) });
  strictEqual(await accepting.t({}, { onProgress: ({ done, total }) => seen.push([done, total]) }), 2);
  deepStrictEqual(seen.at(-1), [1, 2]);
  const declining = testClient(server, { onElicitation: () => ({ action: "decline" }) });
  await rejects(Promise.resolve(declining.t()), { code: "no" });
  strictEqual(lines.length > 0, true);
});

test("a promised tool may take sleep out of its ctx", async () => {
  const tool = defineTool("t").describe("T").promise({ budgetMs: 1 }).handle(async (_, { sleep }) => {
    await sleep("a while", 1);
    return "done";
  });
  strictEqual(await testClient(createServer({ tools: [tool] })).t(), "done");
});
