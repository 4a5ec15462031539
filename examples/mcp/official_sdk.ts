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
import { type CallTool, read, seeAll } from "./official.ts";
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
    const note = await watchNotes(client, text);
    const callTool: CallTool = (params, options) => client.callTool(params, CallToolResultSchema, options);
    const seen = await seeAll(client, callTool, asked);
    const taskId = await workAsTask(client, seen.analyzed);
    return { revision, longWork: `awaited; and as a task, ${taskId.slice(0, 20)}…`, note, seen };
  } finally {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    await client.close();
  }
}

function openTransport(way: story.Way): StreamableHTTPClientTransport | StdioClientTransport {
  if ("url" in way) return new StreamableHTTPClientTransport(new URL(way.url));
  return new StdioClientTransport({ command: way.command, args: [...way.args], stderr: "ignore" });
}

/** Gives the revision that is agreed upon, which the client gives only to its transport. */
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
  await client.callTool({ name: "add_note", arguments: { text } });
  await changed;
  await client.unsubscribeResource({ uri: story.NOTES });
  return story.lastNote(await read(client, story.NOTES));
}
