/** The error about an unknown tool names it: limited in length, without characters that could trick a reader. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { inProcess } from "../hostile/senders.ts";
import { STATELESS } from "./descriptions/all.ts";
import type { CallEnd, Place, Sending } from "./descriptions/description.ts";
import { RawObject } from "./descriptions/raw_messages.ts";

const search = defineTool("search_documents").describe("Search").handle(() => []);

const MESSAGES = {
  unnamed: () => "Tool not found",
  named: (name: string) => `Tool not found: ${name}`,
  suggested: (name: string, suggestion: string) => `Tool not found: ${name}. ${suggestion}`,
} as const;

const ADVICE = "No similar tool: list the tools";

async function call(place: Place<Sending>, name: string): Promise<CallEnd & { readonly kind: "error" }> {
  await using sending = await place.open();
  const end = sending.dialect.read(await sending.send(sending.dialect.call(name, new RawObject([]))));
  ok(end.kind === "error", JSON.stringify(end));
  strictEqual(end.code, "tool_not_found");
  return end as CallEnd & { readonly kind: "error" };
}

for (const place of inProcess(() => createServer({ tools: [search], wires: STATELESS }))) {
  test(`${place.where}: the error has the name, what there is, and the tool that may be meant`, async () => {
    await using sending = await place.open();
    const { message, data } = await call(place, "serch_documents");
    const suggestion = "Did you mean 'search_documents'?";
    strictEqual(message, MESSAGES[sending.dialect.unknownTool ?? "suggested"]("serch_documents", suggestion));
    if (data === undefined) return;
    const { requested_tool, suggestion: suggested } = data as Record<string, unknown>;
    deepStrictEqual([requested_tool, suggested], ["serch_documents", suggestion]);
    if (sending.dialect.unknownTool === "unnamed") {
      deepStrictEqual(data, {
        requested_tool: "serch_documents",
        available_tools: ["search_documents"],
        suggestion,
        code: "tool_not_found",
      });
    }
  });

  test(`${place.where}: the message has no more of a name than fits, and nothing that is not shown`, async () => {
    await using sending = await place.open();
    if (sending.dialect.unknownTool === "unnamed") {
      strictEqual((await call(place, "x".repeat(100_000))).message, "Tool not found");
      return;
    }
    const { message } = await call(place, "x".repeat(100_000));
    ok(message.length < 256, message);
    ok(message.startsWith(`Tool not found: ${"x".repeat(128)}…`));
    // Where a header repeats the name, HTTP forbids these characters.
    if (Object.values(sending.dialect.call("MARK", new RawObject([])).headers).includes("MARK")) return;
    // Strings of protobuf and paths have no lone surrogates.
    const isInPath = sending.dialect.call("MARK", new RawObject([])).path.includes("MARK");
    const hasSurrogates = sending.dialect.unknownTool !== "named" && !isInPath;
    const { message: tricky } = await call(place, `a\r\nb\u0000\u202e\u2028${hasSurrogates ? "\ud800" : ""}c`);
    ok(tricky.startsWith(`Tool not found: a??b???${hasSurrogates ? "?" : ""}c`), JSON.stringify(tricky));
  });

  test(`${place.where}: a name that is not close gets the advice to list the tools, and no other tool`, async () => {
    await using sending = await place.open();
    const { message, data } = await call(place, "get_weather");
    strictEqual(message, MESSAGES[sending.dialect.unknownTool ?? "suggested"]("get_weather", ADVICE));
    if (data !== undefined) strictEqual((data as Record<string, unknown>)["suggestion"], ADVICE);
  });
}
