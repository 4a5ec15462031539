/**
 * What is the same for the two official clients: reading resources, filling in prompts, completing.
 *
 * @module
 */
import * as story from "./visit.ts";

/** What both clients have, as far as it is used here. */
interface OfficialClient {
  listResources(): Promise<
    { readonly resources: readonly { readonly uri: string }[] }
  >;
  listResourceTemplates(): Promise<
    { readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }
  >;
  readResource(params: { uri: string }): Promise<{ readonly contents: readonly object[] }>;
  listPrompts(): Promise<
    { readonly prompts: readonly { readonly name: string }[] }
  >;
  getPrompt(params: typeof story.EXPLAIN): Promise<{ readonly messages: readonly { readonly content: unknown }[] }>;
  complete(
    params: typeof story.TYPED_COLUMN | typeof story.TYPED_TABLE,
  ): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
}

/** Reads a resource that is text. */
export async function read(client: OfficialClient, uri: string): Promise<string> {
  return story.textOf((await client.readResource({ uri })).contents);
}

/** Lists resources and reads some. */
export async function readAll(client: OfficialClient) {
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

/** Lists prompts, fills one in, and has arguments completed. */
export async function fillInAll(client: OfficialClient) {
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
