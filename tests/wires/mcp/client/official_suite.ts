/** The client against the official servers, in every era and over every transport. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, type Progress, type UntypedClient } from "../../../../mod.ts";
import type { OfficialRow, Opened } from "./official_rows.ts";
import { eventually } from "../../../eventually.ts";

interface Stage extends Opened {
  readonly row: OfficialRow;
  readonly client: UntypedClient;
}

type Scenario = (stage: Stage) => Promise<void>;

async function run(row: OfficialRow, scenario: Scenario): Promise<void> {
  const opened = row.open();
  const client = createClient(opened.transport, {
    onElicitation: ({ message }) => ({ action: "accept", content: { name: message === "Your name?" ? "Ada" : "?" } }),
  });
  try {
    await scenario({ ...opened, row, client });
  } finally {
    client.$.close();
    await opened.handler?.close();
  }
}

const reply = (text: string) => text;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async "finds out what the server is"({ transport, row }) {
    const { revision, info, instructions, capabilities } = await transport.server();
    strictEqual(revision, row.revision);
    strictEqual(info?.name, "official");
    strictEqual(instructions, "Be kind");
    ok(Object.hasOwn(capabilities, "tools"));
  },

  async "lists tools and calls them"({ client }) {
    const tools = await client.$.list();
    const add = tools.find(({ name }) => name === "add");
    deepStrictEqual(add?.annotations, { readOnlyHint: true });
    strictEqual(add?.inputSchema?.["type"], "object");
    deepStrictEqual(await client.$.call("add", { a: 1, b: 2 }), { sum: 3 });
    deepStrictEqual(await client.$.call("greet", { name: "Ada" }), reply("Hello, Ada!"));
    strictEqual(await client.$.call("nothing"), undefined);
    deepStrictEqual(await client.$.call("route", { region: " é" }), reply("to  é"));
  },

  async "keeps concurrent calls apart"({ client }) {
    const sums = await Promise.all(Array.from({ length: 20 }, (_, a) => client.$.call("add", { a, b: a })));
    deepStrictEqual(sums, Array.from({ length: 20 }, (_, a) => ({ sum: 2 * a })));
  },

  async "tells failures and refusals"({ client }) {
    await rejects(client.$.call("fail"), { name: "Failure", code: "tool_error", message: "It is locked" });
    await rejects(client.$.call("add", { a: "one" }), { name: "Failure", code: "tool_error", message: /number/ });
    const unknown = await client.$.outcome("unknown").then(({ kind }) => kind, ({ code }) => code);
    // Revisions before 2026-07-28 may say so in a result.
    ok(["tool_not_found", "invalid_input", "failure"].includes(unknown), unknown);
  },

  async "tells progress, and what is logged"({ client, transport, row }) {
    const seen: Progress[] = [];
    const logged: unknown[] = [];
    transport.logging.onMessage(({ data }) => logged.push(data));
    await transport.logging.setLevel("info");
    deepStrictEqual(await client.$.call("work", {}, { onProgress: (one) => seen.push(one) }), reply("worked"));
    if (!row.canTell && seen.length === 0) return;
    deepStrictEqual(seen, [{ done: 1, total: 2, message: "step 1" }, { done: 2, total: 2, message: "step 2" }]);
    deepStrictEqual(logged, ["working"]);
  },

  async "answers what the server asks"({ client, row, transport }) {
    if (!row.canAsk) return;
    deepStrictEqual(await client.$.call("ask"), reply("Hello, Ada"));
    const quiet = createClient(transport);
    const outcome = await quiet.$.outcome("ask");
    ok(outcome.kind === "elicitation");
    const [key = ""] = Object.keys(outcome.requests);
    const { message, schema } = outcome.requests[key] ?? {};
    strictEqual(message, "Your name?");
    ok(schema !== undefined && Object.hasOwn(schema, "properties"));
    const responses = { [key]: { action: "decline" } };
    const meta = { continuation: outcome.continuation, responses };
    deepStrictEqual(await quiet.$.call("ask", {}, { meta }), reply("Hello, stranger"));
  },

  async "asks a model and tells folders, beside a question to a person"({ client, row, transport }) {
    if (!row.canAsk) return;
    const model = { role: "assistant" as const, content: { type: "text", text: "Paris" }, model: "oracle" };
    transport.onSampling(({ maxTokens }) => ({ ...model, model: `oracle-${maxTokens}` }));
    transport.onRoots(() => [{ uri: "file:///work" }]);
    const text = await client.$.call("consult") as string;
    const { model: reported, folders, name } = JSON.parse(text);
    deepStrictEqual([reported, folders], [{ ...model, model: "oracle-10" }, { roots: [{ uri: "file:///work" }] }]);
    deepStrictEqual(name, { action: "accept", content: { name: "Ada" } });
  },

  async "reads resources"({ transport }) {
    const [note] = await transport.resources.list();
    deepStrictEqual([note?.uri, note?.mimeType], ["test://note", "text/plain"]);
    const [template] = await transport.resources.templates();
    strictEqual(template?.uriTemplate, "test://item/{id}");
    deepStrictEqual(await transport.resources.read("test://note"), [
      { uri: "test://note", mimeType: "text/plain", text: "A note" },
    ]);
    strictEqual((await transport.resources.read("test://item/7"))[0]?.text, "Item 7");
    await rejects(transport.resources.read("test://none"), ({ code }) => {
      return code === "resource_not_found" || code === "invalid_input";
    });
  },

  async "keeps what the server says may be kept"({ transport, row, journal }) {
    if (row.revision !== "2026-07-28" || !row.isHere) return;
    await transport.resources.read("test://note");
    await transport.resources.read("test://note");
    deepStrictEqual(journal, ["read test://note"]);
  },

  async "fills in prompts and completes"({ transport }) {
    const [greeting] = await transport.prompts.list();
    strictEqual(greeting?.name, "greeting");
    const { messages } = await transport.prompts.get("greeting", { name: "Ada" });
    deepStrictEqual(messages, [{ role: "user", content: { type: "text", text: "Greet Ada" } }]);
    const ref = { type: "ref/prompt", name: "greeting" } as const;
    const { values } = await transport.complete({ ref, argument: { name: "name", value: "A" } });
    deepStrictEqual(values, ["Ada", "Alan"]);
    await rejects(transport.prompts.get("none"), { name: "ToolError", code: "invalid_input" });
  },

  async "lets the server know that the caller has left"({ client, row, journal }) {
    const controller = new AbortController();
    const reason = new Error("no longer needed");
    const left = rejects(client.$.call("hang", {}, { signal: controller.signal }), reason);
    // The journal of another process is not visible here.
    if (row.isHere) await eventually(() => journal.includes("hang started"));
    else await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort(reason);
    await left;
    // Without a session, a server of the era with a handshake cannot match the cancellation to the call.
    if (row.isHere && (row.canTell || row.revision === "2026-07-28")) {
      await eventually(() => journal.includes("hang aborted"));
    }
    deepStrictEqual(await client.$.call("add", { a: 1, b: 1 }), { sum: 2 });
  },
};

/** Registers a test for each row and scenario. */
export function testOfficial(rows: readonly OfficialRow[]): void {
  for (const row of rows) {
    for (const [name, scenario] of Object.entries(SCENARIOS)) test(`${row.name}: ${name}`, () => run(row, scenario));
  }
}
