/**
 * The client of `@modelcontextprotocol/sdk`, the official one of the revisions before 2026-07-28, which most hosts have. It knows
 * nothing of Toolwire.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { fillInAll, read, readAll } from "./official.ts";
import * as story from "./visit.ts";

/** Visits the library, and leaves a note. */
export async function visitWithSdk(way: story.Way, text: string): Promise<story.Visit> {
  const client = new Client({ name: "tour", version: "1.0.0" }, { capabilities: { elicitation: {}, sampling: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { ...story.fillIn(params) } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => story.askModel(params.messages));
  const transport = openTransport(way);
  const revision = await connect(client, transport);
  try {
    const { tools } = await client.listTools();
    const { result: found } = await callTool<{ result: { title: string }[] }>(client, "search_documents", story.SEARCH);
    const { content: failed } = await client.callTool({ name: "describe_dataset", arguments: story.MISSPELT });
    let heardProgress = false;
    const onprogress = () => void (heardProgress = true);
    const work = await callTool<{ row_count: number }>(client, "analyze_dataset", story.LONG_WORK, onprogress);
    const taskId = await workAsTask(client, work.row_count);
    const { row_count: exported } = await callTool<{ row_count: number }>(client, "export_dataset", story.EXPORT);
    const { summary } = await callTool<{ summary: string }>(client, "summarize_dataset", story.SUMMARY);
    return {
      revision,
      longWork: `awaited; and as a task, ${taskId.slice(0, 20)}…`,
      note: await watchNotes(client, text),
      seen: {
        tools: tools.map(({ name }) => name),
        found: found.map(({ title }) => title),
        failure: story.textOf(failed),
        analyzed: work.row_count,
        heardProgress,
        asked,
        exported,
        summary,
        ...await readAll(client),
        ...await fillInAll(client),
      },
    };
  } finally {
    if (transport instanceof StreamableHTTPClientTransport) {
      await transport.terminateSession();
    }
    await client.close();
  }
}

function openTransport(way: story.Way): StreamableHTTPClientTransport | StdioClientTransport {
  if ("url" in way) return new StreamableHTTPClientTransport(new URL(way.url));
  return new StdioClientTransport({ command: way.command, args: [...way.args], stderr: "ignore" });
}

/** Gives the revision that is agreed upon, which the client tells its transport alone. */
async function connect(client: Client, transport: Transport): Promise<string> {
  let revision = "";
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    revision = version;
    tell?.(version);
  };
  await client.connect(transport);
  return revision;
}

/** Calls a tool that succeeds. What it gives has the tool's output schema, which the client has checked. */
async function callTool<Output>(client: Client, name: string, args: object, onprogress?: () => void): Promise<Output> {
  const options = onprogress && { onprogress };
  const { structuredContent, isError, content } = await client.callTool(
    { name, arguments: { ...args } },
    CallToolResultSchema,
    options,
  );
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent as Output;
}

/** Has the same worked on as a task, which can be asked for as long as it is there; gives its id. */
async function workAsTask(client: Client, rows: number): Promise<string> {
  const call = { name: "analyze_dataset", arguments: story.LONG_WORK };
  const messages = client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60_000 } });
  let taskId = "";
  for await (const message of messages) {
    if (message.type === "error") throw message.error;
    if (message.type === "taskCreated") taskId = message.task.taskId;
    if (message.type === "result") {
      strictEqual(message.result.structuredContent?.["row_count"], rows);
    }
  }
  return taskId;
}

async function watchNotes(client: Client, text: string): Promise<string> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => resolve());
  await client.subscribeResource({ uri: story.NOTES });
  await callTool(client, "add_note", { text });
  await changed;
  await client.unsubscribeResource({ uri: story.NOTES });
  return story.lastNote(await read(client, story.NOTES));
}
