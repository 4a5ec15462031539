/** Invalid calls and tools, as a model or an untyped caller may pass them. */
import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { openaiResponsesTools, openaiTools } from "../../../src/entries/agents.ts";
import { createAgentFixture } from "./fixture.ts";

// Not every interface that calls itself OpenAI's keeps to its types.
for (const reply of [{ n: 1 }, undefined, null, 7]) {
  test(`arguments that are no text are explained: ${JSON.stringify(reply)}`, async () => {
    const { server } = createAgentFixture();
    const called = { name: "math_add", arguments: reply as never };
    const [message] = await (await openaiTools(server)).run([{ type: "function", id: "call_1", function: called }]);
    match(message?.content ?? "", /invalid_input.*not a JSON object/);
    const item = { type: "function_call", call_id: "call_1", ...called };
    const [output] = await (await openaiResponsesTools(server)).run([item]);
    ok(output?.type === "function_call_output");
    match(String(output.output), /invalid_input.*not a JSON object/);
  });
}

test("a call without its function is answered", async () => {
  const { run } = await openaiTools(createAgentFixture().server);
  for (const called of [undefined, null, {}]) {
    const [message] = await run([{ type: "function", id: "call_1", function: called as never }]);
    strictEqual(message?.tool_call_id, "call_1");
    match(message.content, /tool_not_found/);
  }
});

test("calls of OpenAI's other interface are not passed over", async () => {
  const { server } = createAgentFixture();
  const item = { type: "function_call", call_id: "call_1", name: "math_add", arguments: "{}" };
  const call = { type: "function", id: "call_1", function: { name: "math_add", arguments: "{}" } };
  await rejects((await openaiTools(server)).run([item as never]), {
    name: "TypeError",
    message: 'Cannot run calls: "function_call" is of Responses: take openaiResponsesTools',
  });
  await rejects((await openaiResponsesTools(server)).run([call]), {
    name: "TypeError",
    message: 'Cannot run calls: "function" is of Chat Completions: take openaiTools',
  });
});

test("a value that is not a source is refused, with what to pass", async () => {
  for (const source of ["http://127.0.0.1/mcp-lite/v1", undefined, null]) {
    await rejects(openaiTools(source as never), { name: "TypeError", message: /: pass what createServer\(\) or/ });
  }
});
