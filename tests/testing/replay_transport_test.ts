/** replayTransport(text): a test answers from a recording, and refuses what is not one. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../mod.ts";
import { createRecorder } from "../../apps/cli/record/create_recorder.ts";
import { createRedactor } from "../../src/core/redaction/redact.ts";
import { replayTransport, testClient } from "../../src/entries/testing.ts";

test("a recording answers its calls in their order, and names the nearest for others", async () => {
  let text = "";
  let count = 0;
  const next = defineTool("next").describe("Count").handle(() => ++count);
  const middleware = [createRecorder({
    server: { name: "counter" },
    tools: [{ name: "next", inputSchema: { type: "object" } }],
    redactor: createRedactor(),
    write: (line) => void (text += line),
  })];
  const recorded = testClient(createServer({ tools: [next], middleware, logger: false }));
  deepStrictEqual([await recorded.next(), await recorded.next()], [1, 2]);
  const { $ } = createClient(replayTransport(text));
  deepStrictEqual([await $.call("next", {}), await $.call("next", {}), await $.call("next", {})], [1, 2, 2]);
  deepStrictEqual((await $.list()).map(({ name }) => name), ["next"]);
  await rejects($.call("next", { a: 1 }), { code: "invalid_input", message: /the nearest is \{\}/ });
  strictEqual(count, 2);
});

test("what is neither a file nor a recording is refused with what to pass", () => {
  const wrong = ["", " ", "[1]\n[2]", new URL("https://example.com/calls.ndjson"), undefined, 7];
  for (const given of wrong) {
    throws(() => replayTransport(given as string), {
      name: "TypeError",
      message:
        /^Cannot replay: pass the path or the file URL of a recording, such as "calls\.ndjson", or its text, not /,
    });
  }
  throws(() => replayTransport("{}"), { name: "TypeError", message: /^Not a recording/ });
});
