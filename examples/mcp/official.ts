/**
 * What both official clients do alike: all of the visit but connecting, answering, and notifications of changes.
 *
 * @module
 */
import * as story from "./visit.ts";

/** What both clients have, as far as it is used here. */
interface OfficialClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<{ readonly contents: readonly object[] }>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  getPrompt(params: typeof story.EXPLAIN): Promise<{ readonly messages: readonly { readonly content: unknown }[] }>;
  complete(
    params: typeof story.TYPED_COLUMN | typeof story.TYPED_TABLE,
  ): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
}

/** Calls a tool, as each of them does in its own way. */
export type CallTool = (
  params: { name: string; arguments: Record<string, unknown> },
  options?: { readonly onprogress: () => void },
) => Promise<{ readonly [member: string]: unknown }>;

/** Sees all there is, but for changes. */
export async function seeAll(client: OfficialClient, callTool: CallTool, asked: string[]): Promise<story.Seen> {
  /** Calls a tool that succeeds. What it gives has the tool's output schema, which the client has checked. */
  const call = async <Output>(name: string, args: object, options?: { readonly onprogress: () => void }) => {
    const { structuredContent, isError, content } = await callTool({ name, arguments: { ...args } }, options);
    if (isError) throw new Error(JSON.stringify(content));
    return structuredContent as Output;
  };
  const { tools } = await client.listTools();
  const found = await call("search_documents", story.SEARCH);
  const { content: failed } = await callTool({ name: "describe_dataset", arguments: story.MISSPELT });
  let heardProgress = false;
  const onprogress = () => void (heardProgress = true);
  const work = await call<{ row_count: number }>("analyze_dataset", story.LONG_WORK, { onprogress });
  const { row_count: exported } = await call<{ row_count: number }>("export_dataset", story.EXPORT);
  const { summary } = await call<{ summary: string }>("summarize_dataset", story.SUMMARY);
  return {
    tools: tools.map(({ name }) => name),
    found: story.listOf(found).map(({ title }) => title),
    failure: story.textOf(failed),
    analyzed: work.row_count,
    heardProgress,
    asked,
    exported,
    summary,
    ...await readAll(client),
    ...await fillInAll(client),
  };
}

/** Reads a resource that is text. */
export async function read(client: OfficialClient, uri: string): Promise<string> {
  return story.textOf((await client.readResource({ uri })).contents);
}

async function readAll(client: OfficialClient) {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  return {
    resources: resources.map(({ uri }) => uri),
    templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    file: (await read(client, story.FILE)).slice(0, 40),
    row: await read(client, story.ROW),
    // The older client puts the error's number before what the server says.
    noRow: await read(client, story.NO_ROW).catch(({ message }) => message.replace(/^MCP error -\d+: /, "")),
  };
}

async function fillInAll(client: OfficialClient) {
  const { prompts } = await client.listPrompts();
  const { messages } = await client.getPrompt(story.EXPLAIN);
  const { completion: { values: columns } } = await client.complete(story.TYPED_COLUMN);
  const { completion: { values: tables } } = await client.complete(story.TYPED_TABLE);
  return {
    prompts: prompts.map(({ name }) => name),
    prompt: messages.map(({ content }) => story.textOf(content)),
    columns,
    tables,
  };
}
