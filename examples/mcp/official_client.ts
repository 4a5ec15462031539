/**
 * `@modelcontextprotocol/client`, the official client of the newest revision. It knows nothing of Toolwire.
 *
 * @module
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fillInAll, read, readAll } from "./official.ts";
import * as story from "./visit.ts";

/** Visits the library, and leaves a note. */
export async function visitWithClient(way: story.Way, text: string): Promise<story.Visit> {
  const client = new Client({ name: "tour", version: "1.0.0" }, {
    capabilities: { elicitation: {}, sampling: {} },
    // Asks the server which revisions it speaks. Left out, this client speaks the older ones alone.
    versionNegotiation: { mode: "auto" },
  });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: story.fillIn(params) };
  });
  client.setRequestHandler("sampling/createMessage", ({ params }) => story.askModel(params.messages));
  await client.connect(
    "url" in way ? new StreamableHTTPClientTransport(new URL(way.url)) : new StdioClientTransport({
      command: way.command,
      args: [...way.args],
      stderr: "ignore",
    }),
  );
  try {
    const { tools } = await client.listTools();
    const found = await callTool<{ title: string }[]>(client, "search_documents", story.SEARCH);
    const { content: failed } = await client.callTool({ name: "describe_dataset", arguments: story.MISSPELT });
    let heardProgress = false;
    const onprogress = () => void (heardProgress = true);
    const work = await callTool<{ row_count: number }>(client, "analyze_dataset", story.LONG_WORK, onprogress);
    const { row_count: exported } = await callTool<{ row_count: number }>(client, "export_dataset", story.EXPORT);
    const { summary } = await callTool<{ summary: string }>(client, "summarize_dataset", story.SUMMARY);
    return {
      revision: client.getNegotiatedProtocolVersion() ?? "",
      longWork: "awaited",
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
    await client.close();
  }
}

/** Calls a tool that succeeds. What it gives has the tool's output schema, which the client has checked. */
async function callTool<Output>(client: Client, name: string, args: object, onprogress?: () => void): Promise<Output> {
  const options = onprogress && { onprogress };
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: { ...args } }, options);
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent as Output;
}

async function watchNotes(client: Client, text: string): Promise<string> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/updated", () => resolve());
  const listening = await client.listen({ resourceSubscriptions: [story.NOTES] });
  await callTool(client, "add_note", { text });
  await changed;
  await listening.close();
  return story.lastNote(await read(client, story.NOTES));
}
