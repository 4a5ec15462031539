/** What clients see of the kitchen, over HTTP. */
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { callOf, type Check, type Connection, outcome, request, type Target } from "./checks.ts";

/** A tool of a group has another name after the move. */
const GROUPED = /^(book|pantry)\//;

/** The name of a tool as the server has it. */
async function nameOf({ client }: Connection, name: string): Promise<string> {
  if (!GROUPED.test(name)) return name;
  const { tools } = await client.listTools();
  return tools.find((tool) => tool.name === name || tool.name === name.replace("/", "_"))?.name ?? name;
}

const callIn = async (connection: Connection, name: string, args?: Record<string, unknown>) =>
  await callOf(connection, await nameOf(connection, name), args);

const call = (name: string, args?: Record<string, unknown>) => async (target: Target) =>
  await callIn(await target.connect(), name, args);

const use = (work: (connection: Connection) => unknown) => async (target: Target) => {
  const connection = await target.connect();
  return await outcome(() => work(connection));
};

const toolNamed = (name: string) =>
  use(async (connection) => {
    const own = await nameOf(connection, name);
    const found = (await connection.client.listTools()).tools.find((tool) => tool.name === own);
    return found && { ...found, name };
  });

const ask = (forms: readonly ElicitResult[]) => async (target: Target) => {
  const connection = await target.connect({ forms });
  const answer = await callIn(connection, "pantry/empty");
  return { asked: connection.asked, answer };
};

const promptNamed = (name: string, args?: Record<string, string>) =>
  use(async ({ client }) => {
    const { prompts } = await client.listPrompts();
    const own = prompts.find((one) => one.name === name || one.name === name.replace("/", "_"))?.name ?? name;
    return await client.getPrompt({ name: own, ...(args && { arguments: args }) });
  });

const HEADERS = {
  authorization: "Bearer ada",
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

const post = (url: string, body: unknown, headers: Record<string, string> = {}, ...names: readonly string[]) =>
  request(
    url,
    {
      method: "POST",
      headers: { ...HEADERS, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    },
    ...names,
  );
const status = async (answer: Promise<{ readonly status: number }>) => (await answer).status;

async function session(url: string, protocolVersion = "2025-06-18"): Promise<Record<string, string>> {
  const params = { ...INITIALIZE.params, protocolVersion };
  const { headers } = await post(url, { ...INITIALIZE, params }, {}, "mcp-session-id");
  return { "mcp-session-id": headers["mcp-session-id"] ?? "", "mcp-protocol-version": protocolVersion };
}

/** Checks over HTTP. */
export const OVER_HTTP: readonly Check[] = [
  ["name and version", use(({ client }) => client.getServerVersion())],
  ["capabilities", use(({ client }) => client.getServerCapabilities())],
  ["ping", use(({ client }) => client.ping())],
  ["names of tools", use(async ({ client }) => (await client.listTools()).tools.map(({ name }) => name).sort())],
  ["a tool with title, schemas and annotations", toolNamed("book/find")],
  [
    "bounds of a whole number",
    use(async ({ client }) => {
      const { tools } = await client.listTools();
      return tools.find(({ name }) => /^book.find$/.test(name))?.inputSchema.properties?.["limit"];
    }),
  ],
  ["a tool with _meta", toolNamed("pantry/empty")],
  ["a tool of JSON Schema", toolNamed("pantry/order")],
  ["a tool without arguments", toolNamed("who_am_i")],
  ["a tool of a schema", toolNamed("bake")],
  ["a structured answer", call("book/find", { tag: "vegan" })],
  ["a default of the schema", call("book/find", { tag: "sweet" })],
  ["a limit", call("book/find", { tag: "vegan", limit: 1 })],
  ["an empty list", call("book/find", { tag: "raw" })],
  ["a text beside a structured answer", call("book/read", { id: "cake" })],
  ["an error with a number of JSON-RPC", call("book/read", { id: "none" })],
  ["an argument of the wrong type", call("book/find", { tag: 7 })],
  ["an argument out of its range", call("book/find", { tag: "vegan", limit: 21 })],
  ["a missing argument", call("book/read")],
  ["an argument that the schema does not have", call("book/read", { id: "soup", extra: 1 })],
  ["a text", call("pantry/take", { item: "carrots", amount: 1 })],
  ["an error with a number of the server", call("pantry/take", { item: "gold", amount: 1 })],
  ["an error that onError converts", call("pantry/take", { item: "milk", amount: 1 })],
  ["an exception", call("fail")],
  ["arguments of JSON Schema", call("pantry/order", { item: "salt", amount: 2 })],
  ["arguments that JSON Schema refuses", call("pantry/order", { amount: 2 })],
  [
    "middleware of a group",
    use(async (connection) => {
      const before = await callIn(connection, "pantry/count") as { content: [string] };
      await callIn(connection, "pantry/order", { item: "salt" });
      const after = await callIn(connection, "pantry/count") as { content: [string] };
      return Number(after.content[0]) - Number(before.content[0]);
    }),
  ],
  ["the caller, by middleware", call("who_am_i")],
  [
    "another caller",
    async (target) => await callOf(await target.connect({ headers: { authorization: "Bearer eve" } }), "who_am_i"),
  ],
  ["a session", call("session")],
  ["an unknown tool", call("fly")],
  ["a tool of a group without its prefix", call("order", { item: "salt" })],
  ["blocks", call("photo")],
  [
    "_meta of a result",
    use(async ({ client }) => (await client.callTool({ name: "photo" }))._meta?.["example.com/camera"]),
  ],
  [
    "progress",
    use(async ({ client, notified }) => {
      await client.callTool({ name: "bake", arguments: { steps: 3 }, _meta: { progressToken: "t" } });
      return await notified("notifications/progress", 3);
    }),
  ],
  [
    "no progress without a token",
    use(async (connection) => {
      const answer = await callOf(connection, "bake", { steps: 2 });
      return { answer, notifications: connection.notifications };
    }),
  ],
  ["a form that is accepted", ask([{ action: "accept", content: { sure: true, reason: "old" } }])],
  ["a form without the optional answer", ask([{ action: "accept", content: { sure: true } }])],
  ["a form that is answered with no", ask([{ action: "accept", content: { sure: false } }])],
  ["a form that is declined", ask([{ action: "decline" }])],
  ["a form that is cancelled", ask([{ action: "cancel" }])],
  ["a client without forms", call("pantry/empty")],
  ["a sample", async (target) => {
    const connection = await target.connect({
      samples: [{ role: "assistant", model: "small", content: { type: "text", text: "Very good" } }],
    });
    return { answer: await callOf(connection, "describe", { dish: "soup" }), asked: connection.asked };
  }],
  ["a client without sampling", call("describe", { dish: "soup" })],
  ["resources", use(async ({ client }) => (await client.listResources()).resources)],
  ["templates of resources", use(async ({ client }) => (await client.listResourceTemplates()).resourceTemplates)],
  ["a resource", use(({ client }) => client.readResource({ uri: "kitchen://rules" }))],
  ["a resource of a template", use(({ client }) => client.readResource({ uri: "recipe://soup" }))],
  ["a variable that its validator refuses", use(({ client }) => client.readResource({ uri: "recipe://ab" }))],
  ["a resource that its reader does not find", use(({ client }) => client.readResource({ uri: "recipe://none" }))],
  ["an unknown resource", use(({ client }) => client.readResource({ uri: "kitchen://none" }))],
  ["names of prompts", use(async ({ client }) => (await client.listPrompts()).prompts.map(({ name }) => name).sort())],
  [
    "arguments of prompts",
    use(async ({ client }) =>
      (await client.listPrompts()).prompts.map(({ title, description, arguments: given }) => ({
        title,
        description,
        given,
      }))
    ),
  ],
  ["a prompt", promptNamed("book/suggest", { guests: "4" })],
  ["a prompt with a list of arguments", promptNamed("book/menu", { day: "Monday" })],
  ["a prompt without its argument", promptNamed("book/suggest")],
  ["an unknown prompt", promptNamed("none")],
  ["no token", ({ url }) => status(post(url, INITIALIZE, { authorization: "" }))],
  ["an unknown token", ({ url }) => status(post(url, INITIALIZE, { authorization: "Bearer mallory" }))],
  ["a route of the application", ({ url }) => request(url.replace("/mcp", "/health"), {})],
  ["initialize has a session", async ({ url }) => {
    const { status, headers } = await post(url, INITIALIZE, {}, "mcp-session-id", "content-type");
    return { status, type: headers["content-type"], session: Boolean(headers["mcp-session-id"]) };
  }],
  ...["2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01"].map((version): Check => [
    `initialize with ${version}`,
    async ({ url }) => {
      const { body } = await post(url, { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: version } });
      const { result, error } = body as { result?: { protocolVersion: string }; error?: unknown };
      return result?.protocolVersion ?? error;
    },
  ]),
  ["a call of an unknown session", ({ url }) => status(post(url, LIST, { "mcp-session-id": "none" }))],
  ["a call without a session", ({ url }) => status(post(url, LIST))],
  [
    "a session of another caller",
    async ({ url }) => await status(post(url, LIST, { ...await session(url), authorization: "Bearer eve" })),
  ],
  [
    "a notification",
    async ({ url }) =>
      await status(post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, await session(url))),
  ],
  ["a body that is not JSON", ({ url }) => status(post(url, "{"))],
  ["a body that is not JSON-RPC", ({ url }) => status(post(url, { hello: 1 }))],
  [
    "an unknown method",
    async ({ url }) => await post(url, { jsonrpc: "2.0", id: 5, method: "acme/none" }, await session(url)),
  ],
  [
    "an unknown revision in the header",
    async ({ url }) => await status(post(url, LIST, { ...await session(url), "mcp-protocol-version": "1999-01-01" })),
  ],
  [
    "Accept without event streams",
    async ({ url }) => await status(post(url, LIST, { ...await session(url), accept: "application/json" })),
  ],
  [
    "a content type that is not JSON",
    async ({ url }) => await status(post(url, LIST, { ...await session(url), "content-type": "text/plain" })),
  ],
  ["a stream of notifications", async ({ url }) => {
    const abort = new AbortController();
    const response = await fetch(url, {
      headers: { ...HEADERS, accept: "text/event-stream", ...await session(url) },
      signal: abort.signal,
    });
    const seen = { status: response.status, type: response.headers.get("content-type") };
    abort.abort();
    return seen;
  }],
  [
    "a stream without a session",
    ({ url }) => status(request(url, { headers: { ...HEADERS, accept: "text/event-stream" } })),
  ],
  ["the end of a session", async ({ url }) => {
    const headers = { ...HEADERS, ...await session(url) };
    return await status(request(url, { method: "DELETE", headers }));
  }],
  ["another method of HTTP", ({ url }) => status(request(url, { method: "PUT", headers: HEADERS, body: "{}" }))],
  [
    "ten calls at a time",
    use(async (connection) =>
      await Promise.all(Array.from({ length: 10 }, (_, steps) => callOf(connection, "bake", { steps: steps % 9 + 1 })))
    ),
  ],
];
