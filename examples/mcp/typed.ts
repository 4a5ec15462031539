/**
 * Toolwire's own client: typed by the server, and with what MCP has beside tools on the transport.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict";
import { createClient, Failure, ToolError } from "jsr:@toolwire/toolwire";
import { type McpTransport, mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
import type { server } from "./server.ts";
import * as story from "./visit.ts";

/** Visits the library, and leaves a note. */
export async function visitTyped(way: story.Way, text: string): Promise<story.Visit> {
  const transport = "url" in way
    ? mcpTransport(way.url)
    // `era` is known here, and a program that is slow to start need not be asked for it within a time.
    : stdioTransport(way.command, way.args, { era: "modern", stderr: "ignore" });
  const asked: string[] = [];
  const library = createClient<typeof server>(transport, {
    onElicitation({ message, schema }) {
      asked.push(message);
      return { action: "accept", content: story.fillIn(schema) };
    },
    onMoreRequested({ message }) {
      asked.push(message);
      return { action: "accept" };
    },
  });
  transport.onSampling(({ messages }) => story.askModel(messages));
  try {
    const tools = await library.$.list();
    const found = await library.search_documents(story.SEARCH);
    const failure = await library.describe_dataset(story.MISSPELT).then(() => "none", messageOf);
    let heardProgress = false;
    const onProgress = () => void (heardProgress = true);
    const { row_count: analyzed } = await library.analyze_dataset(story.LONG_WORK, { onProgress });
    const task = await library.analyze_dataset.start(story.LONG_WORK);
    strictEqual((await task.result()).row_count, analyzed);
    const { row_count: exported } = await library.export_dataset(story.EXPORT);
    const { summary } = await library.summarize_dataset(story.SUMMARY);
    return {
      revision: (await transport.server()).revision,
      longWork: `awaited; and as a task, ${task.token.slice(0, 20)}…`,
      note: await watchNotes(transport, () => library.add_note({ text })),
      seen: {
        tools: tools.map(({ name }) => name),
        found: found.map(({ title }) => title),
        failure,
        analyzed,
        heardProgress,
        asked,
        exported,
        summary,
        ...await readAll(transport),
        ...await fillInAll(transport),
      },
    };
  } finally {
    library.$.close();
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Failure || thrown instanceof ToolError ? thrown.message : String(thrown);
}

async function watchNotes(transport: McpTransport, write: () => Promise<unknown>): Promise<string> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const leave = await transport.resources.subscribe(story.NOTES, resolve);
  await write();
  await changed;
  leave();
  const [notes] = await transport.resources.read(story.NOTES);
  return story.lastNote(notes?.text);
}

async function readAll({ resources }: McpTransport) {
  const listed = await resources.list();
  const templates = await resources.templates();
  const [file] = await resources.read(story.FILE);
  const [row] = await resources.read(story.ROW);
  return {
    resources: listed.map(({ uri }) => uri),
    templates: templates.map(({ uriTemplate }) => uriTemplate),
    file: file?.text?.slice(0, 40) ?? "",
    row: row?.text ?? "",
    noRow: await resources.read(story.NO_ROW).then(() => "none", messageOf),
  };
}

async function fillInAll(transport: McpTransport) {
  const prompts = await transport.prompts.list();
  const { messages } = await transport.prompts.get(story.EXPLAIN.name, story.EXPLAIN.arguments);
  const { values: columns } = await transport.complete(story.TYPED_COLUMN);
  const { values: tables } = await transport.complete(story.TYPED_TABLE);
  return {
    prompts: prompts.map(({ name }) => name),
    prompt: messages.map(({ content }) => story.textOf(content)),
    columns,
    tables,
  };
}
