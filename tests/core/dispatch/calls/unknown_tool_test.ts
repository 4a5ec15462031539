import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../harness.ts";

const bench = new Bench(
  ["search_documents", "generate_report"].map((name) => defineTool(name).describe("T").handle(() => name)),
);

for (
  const [requested, suggestion] of [
    ["search_document", "search_documents"],
    ["report", "generate_report"],
    ["get_weather", undefined],
    ["constructor", undefined],
    ["__proto__", undefined],
    ["hasOwnProperty", undefined],
    ["then", undefined],
    ["", undefined],
    ["redeem", undefined],
    ["search_documents\0", "search_documents"],
    ["SEARCH_DOCUMENTS", "search_documents"],
    ["\ud800", undefined],
  ] as const
) {
  test(`an unknown tool ${JSON.stringify(requested)} is refused with what there is, and the nearest if it is close`, async () => {
    const refusal = assertRefused(await bench.call(requested), "tool_not_found");
    strictEqual(refusal.message, "Tool not found");
    const data = refusal.data as { requested_tool: string; available_tools: string[]; suggestion: string };
    strictEqual(data.requested_tool, requested);
    deepStrictEqual(data.available_tools, ["search_documents", "generate_report"]);
    strictEqual(
      data.suggestion,
      suggestion === undefined ? "No similar tool: list the tools" : `Did you mean '${suggestion}'?`,
    );
  });
}

test("a name of a megabyte is refused, and only its start is sent back", async () => {
  const refusal = assertRefused(await bench.call("search_documents".padEnd(1_048_576, "x")), "tool_not_found");
  ok(JSON.stringify(refusal).length < 1_024);
});

test("an unknown tool sends nothing into a sink", async () => {
  const sink = new KeptSink();
  assertRefused(await bench.call("none", {}, { sink }), "tool_not_found");
  deepStrictEqual(sink.events, []);
});
