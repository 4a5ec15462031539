/** Engines whose work ends with the request that began it, as on Cloudflare Workers. */
import { strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import { withPromises } from "../../../src/entries/engines.ts";
import { testClient } from "../../../src/entries/testing.ts";

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";
const report = defineTool("report").describe("Report").promise().handle(() => "done");
const render = defineTool("render").describe("Render").external({
  start: () => ({ job: "a" }),
  check: () => "rendered",
});

test("createServer() refuses .promise() with an engine whose work ends with the request", () => {
  const engine = Object.assign(withPromises(memoryEngine({ workEndsWithRequest: true })), { endsWithRequest: true });
  throws(
    () => createServer({ tools: [render, report], engine }),
    (error: TypeError) =>
      error instanceof TypeError &&
      /"report" has \.promise\(\).*engine "memory".*\.external\(\).*withPromises\(engine\).*workEndsWithRequest/s.test(
        error.message,
      ),
  );
  strictEqual(createServer({ tools: [render], engine }).tools.length, 3);
});

test("memoryEngine() is refused for .promise() on Workers, unless the option accepts that work ends with the request", async () => {
  const create = (workEndsWithRequest: boolean) =>
    createServer({ tools: [report], engine: memoryEngine({ workEndsWithRequest }) });
  if (isWorker) throws(() => create(false), /"report" has \.promise\(\)/);
  else strictEqual(await testClient(create(false)).report(), "done");
  strictEqual(await testClient(create(true)).report(), "done");
});
