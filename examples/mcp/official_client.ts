/**
 * `@modelcontextprotocol/client`, the official client of the newest revision. It knows nothing of Toolwire.
 *
 * @module
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { read, seeAll } from "./official.ts";
import * as story from "./visit.ts";

/** Visits the library, and leaves a note. */
export async function visitWithClient(way: story.Way, text: string): Promise<story.Visit> {
  const client = new Client({ name: "tour", version: "1.0.0" }, {
    capabilities: { elicitation: {}, sampling: {} },
    // Asks the server for its revisions. Without it, this client uses only the older ones.
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
    return {
      revision: client.getNegotiatedProtocolVersion() ?? "",
      longWork: "awaited",
      note: await watchNotes(client, text),
      seen: await seeAll(client, (params, options) => client.callTool(params, options), asked),
    };
  } finally {
    await client.close();
  }
}

async function watchNotes(client: Client, text: string): Promise<string> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/updated", () => resolve());
  const listening = await client.listen({ resourceSubscriptions: [story.NOTES] });
  await client.callTool({ name: "add_note", arguments: { text } });
  await changed;
  await listening.close();
  return story.lastNote(await read(client, story.NOTES));
}
