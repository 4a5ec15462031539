/** What clients see of the tool desk, over HTTP and over stdio. */
import { callOf, type Check, type Connection, outcome, request, type Target } from "./checks.ts";
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";

const call = (name: string, args?: Record<string, unknown>) => async (target: Target) =>
  await callOf(await target.connect(), name, args);

const ask = (forms: readonly ElicitResult[], id = "s1") => async (target: Target) => {
  const connection = await target.connect({ forms });
  const answer = await callOf(connection, "remove_item", { id });
  return { asked: connection.asked, answer };
};

const use = (work: (connection: Connection) => unknown) => async (target: Target) => {
  const connection = await target.connect();
  return await outcome(() => work(connection));
};

const toolNamed = (name: string) =>
  use(async ({ client }) => (await client.listTools()).tools.find((tool) => tool.name === name));

/** Checks that are the same over HTTP and over stdio. */
const SHARED: readonly Check[] = [
  ["name, title and version", use(({ client }) => client.getServerVersion())],
  ["instructions", use(({ client }) => client.getInstructions())],
  ["capabilities", use(({ client }) => client.getServerCapabilities())],
  ["ping", use(async ({ client }) => await client.ping())],
  ["names of tools", use(async ({ client }) => (await client.listTools()).tools.map(({ name }) => name))],
  ["a tool with title, schemas and annotations", toolNamed("find_items")],
  ["a tool with _meta", toolNamed("lend")],
  ["a tool without arguments", toolNamed("opening_hours")],
  ["a tool of the short form", toolNamed("greet")],
  [
    "bounds of a whole number",
    use(async ({ client }) => {
      const { tools } = await client.listTools();
      return tools.find(({ name }) => name === "describe_item")?.inputSchema.properties?.["days"];
    }),
  ],
  ["a structured answer", call("find_items", { query: "drill", limit: 1 })],
  ["a default of the schema", call("find_items", { query: "saw" })],
  ["an empty list", call("find_items", { query: "lathe" })],
  ["a text beside a structured answer", call("describe_item", { id: "d1" })],
  ["a text", call("greet", { name: "Ada" })],
  ["two texts", call("opening_hours")],
  ["blocks of all kinds", call("photo", { id: "s1" })],
  ["an error as a result", call("lend", { id: "d2", to: "ada" })],
  ["an exception", call("give_back", { id: "s1" })],
  ["an error with a number", call("describe_item", { id: "zz" })],
  ["an argument of the wrong type", call("find_items", { query: 5 })],
  ["an argument out of its range", call("find_items", { query: "a", limit: 51 })],
  ["a missing argument", call("greet")],
  ["an argument that the schema does not have", call("greet", { name: "Ada", extra: 1 })],
  ["an unknown tool", call("fly")],
  ["a form that is accepted", ask([{ action: "accept", content: { sure: true, reason: "broken" } }])],
  ["a form without the optional answer", ask([{ action: "accept", content: { sure: true } }])],
  ["a form that is answered with no", ask([{ action: "accept", content: { sure: false } }])],
  ["a form that is declined", ask([{ action: "decline" }])],
  ["a form that is cancelled", ask([{ action: "cancel" }])],
  ["a client without forms", call("remove_item", { id: "s1" })],
  ["an error before the form", ask([{ action: "decline" }], "zz")],
  ["a sample", async (target) => {
    const connection = await target.connect({
      samples: [{ role: "assistant", model: "small", content: { type: "text", text: "Cuts well!" } }],
    });
    return { answer: await callOf(connection, "advertise", { id: "s1" }), asked: connection.asked };
  }],
  ["a client without sampling", call("advertise", { id: "s1" })],
  ["roots", async (target) => {
    const connection = await target.connect({ roots: ["file:///home/ada", "file:///srv"] });
    return await callOf(connection, "shared_folders");
  }],
  ["a client without roots", call("shared_folders")],
  [
    "progress",
    use(async ({ client, notified }) => {
      await client.callTool({ name: "count_stock", arguments: { rounds: 3 }, _meta: { progressToken: "t" } });
      return await notified("notifications/progress", 3);
    }),
  ],
  [
    "no progress without a token",
    use(async (connection) => {
      const answer = await callOf(connection, "count_stock", { rounds: 2 });
      return { answer, notifications: connection.notifications };
    }),
  ],
  [
    "a log line",
    use(async (connection) => {
      await connection.client.setLoggingLevel("info");
      await callOf(connection, "lend", { id: "s1", to: "ada" });
      const lines = await connection.notified("notifications/message");
      await callOf(connection, "give_back", { id: "s1" });
      return lines;
    }),
  ],
  [
    "a log line without a logger",
    use(async (connection) => {
      await connection.client.setLoggingLevel("notice");
      await callOf(connection, "lend", { id: "s1", to: "ada" });
      await callOf(connection, "give_back", { id: "s1" });
      return await connection.notified("notifications/message");
    }),
  ],
  [
    "no log line below the level",
    use(async (connection) => {
      await connection.client.setLoggingLevel("error");
      await callOf(connection, "lend", { id: "s1", to: "ada" });
      await callOf(connection, "give_back", { id: "s1" });
      await connection.client.ping();
      return connection.notifications.filter(({ method }) => method === "notifications/message");
    }),
  ],
  [
    "an item is lent and given back",
    use(async (connection) => [
      await callOf(connection, "lend", { id: "s1", to: "ada" }),
      await callOf(connection, "lend", { id: "s1", to: "bob" }),
      await callOf(connection, "give_back", { id: "s1" }),
    ]),
  ],
  [
    "_meta of a result",
    use(async ({ client }) => {
      await client.callTool({ name: "lend", arguments: { id: "s1", to: "ada" } });
      return (await client.callTool({ name: "give_back", arguments: { id: "s1" } }))._meta?.["example.com/shelf"];
    }),
  ],
  [
    "a call that the client cancels",
    use(async ({ client }) => {
      const abort = new AbortController();
      const waiting = outcome(() => client.callTool({ name: "wait" }, undefined, { signal: abort.signal }));
      await client.ping();
      abort.abort("enough");
      const { message } = await waiting as { message: string };
      return { message, next: (await client.listTools()).tools.length > 0 };
    }),
  ],
  ["a hidden tool", use(async (connection) => await callOf(connection, "sell_item"))],
  ["resources", use(async ({ client }) => (await client.listResources()).resources)],
  ["templates of resources", use(async ({ client }) => (await client.listResourceTemplates()).resourceTemplates)],
  ["a resource of text", use(async ({ client }) => await client.readResource({ uri: "desk://rules" }))],
  ["a resource of bytes", use(async ({ client }) => await client.readResource({ uri: "desk://logo.png" }))],
  ["a resource of a template", use(async ({ client }) => await client.readResource({ uri: "items://d1" }))],
  [
    "a resource that its reader does not find",
    use(async ({ client }) => await client.readResource({ uri: "items://zz" })),
  ],
  ["an unknown resource", use(async ({ client }) => await client.readResource({ uri: "desk://none" }))],
  ["prompts", use(async ({ client }) => (await client.listPrompts()).prompts)],
  [
    "a prompt with arguments",
    use(async ({ client }) => await client.getPrompt({ name: "recommend", arguments: { kind: "saw", budget: "10" } })),
  ],
  ["a prompt with a document", use(async ({ client }) => await client.getPrompt({ name: "review" }))],
  ["a prompt without its argument", use(async ({ client }) => await client.getPrompt({ name: "recommend" }))],
  ["an unknown prompt", use(async ({ client }) => await client.getPrompt({ name: "none" }))],
  [
    "completion of a prompt's argument",
    use(async ({ client }) =>
      (await client.complete({
        ref: { type: "ref/prompt", name: "recommend" },
        argument: { name: "kind", value: "d" },
      }))
        .completion
    ),
  ],
  [
    "completion of a template's variable",
    use(async ({ client }) =>
      (await client.complete({
        ref: { type: "ref/resource", uri: "items://{id}" },
        argument: { name: "id", value: "d" },
      }))
        .completion
    ),
  ],
  [
    "completion of an argument without values",
    use(async ({ client }) =>
      (await client.complete({
        ref: { type: "ref/prompt", name: "recommend" },
        argument: { name: "budget", value: "1" },
      }))
        .completion
    ),
  ],
  [
    "an unknown method",
    use(async ({ client }) =>
      await client.request(
        { method: "acme/none" as "ping" },
        (await import("@modelcontextprotocol/sdk/types.js")).EmptyResultSchema,
      )
    ),
  ],
  ["a tool that is unlocked", async (target) => {
    const connection = await target.connect({ headers: { authorization: "Bearer eve" } });
    const before = (await connection.client.listTools()).tools.some(({ name }) => name === "sell_item");
    await callOf(connection, "accept_rules");
    await connection.notified("notifications/tools/list_changed");
    const after = (await connection.client.listTools()).tools.some(({ name }) => name === "sell_item");
    return { before, after, answer: await callOf(connection, "sell_item") };
  }],
];

const JSON_HEADERS = {
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
const post = (url: string, body: unknown, headers: Record<string, string> = {}, ...names: readonly string[]) =>
  request(
    url,
    {
      method: "POST",
      headers: { ...JSON_HEADERS, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    },
    ...names,
  );

/** A session that plain requests use: its headers. */
async function session(url: string, protocolVersion = "2025-06-18"): Promise<Record<string, string>> {
  const params = { ...INITIALIZE.params, protocolVersion };
  const { headers } = await post(url, { ...INITIALIZE, params }, {}, "mcp-session-id");
  const session = { "mcp-session-id": headers["mcp-session-id"] ?? "", "mcp-protocol-version": protocolVersion };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  return session;
}

const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };
const status = async (answer: Promise<{ readonly status: number }>) => (await answer).status;

const HTTP_ONLY: readonly Check[] = [
  ["the caller", async (target) => await callOf(await target.connect({ headers: { "x-desk": "7" } }), "who_am_i")],
  [
    "another caller",
    async (target) => await callOf(await target.connect({ headers: { authorization: "Bearer eve" } }), "who_am_i"),
  ],
  [
    "a log line for debugging, for a client that has set no level",
    use(async (connection) => {
      await callOf(connection, "describe_item", { id: "d1" });
      await connection.client.ping();
      return connection.notifications.filter(({ method }) => method === "notifications/message");
    }),
  ],
  ["a session", call("session")],
  ["no token", ({ url }) => post(url, INITIALIZE, { authorization: "" }, "www-authenticate")],
  ["an unknown token", ({ url }) => post(url, INITIALIZE, { authorization: "Bearer mallory" }, "www-authenticate")],
  ["a token that is not of the form", ({ url }) => status(post(url, INITIALIZE, { authorization: "Basic YTpi" }))],
  [
    "a token without the scope",
    ({ url }) => post(url, INITIALIZE, { authorization: "Bearer bob" }, "www-authenticate"),
  ],
  [
    "metadata of the resource",
    ({ url }) => request(url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"), {}),
  ],
  [
    "metadata of the authorization server",
    ({ url }) => request(url.replace("/mcp", "/.well-known/oauth-authorization-server"), {}),
  ],
  ["a route of the application", ({ url }) => request(url.replace("/mcp", "/health"), {})],
  ["initialize has a session", async ({ url }) => {
    const { status, headers } = await post(url, INITIALIZE, {}, "mcp-session-id", "content-type");
    return { status, type: headers["content-type"], session: Boolean(headers["mcp-session-id"]) };
  }],
  ...["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "1999-01-01"].map((version): Check => [
    `initialize with ${version}`,
    async ({ url }) => {
      const params = { ...INITIALIZE.params, protocolVersion: version };
      const { body } = await post(url, { ...INITIALIZE, params });
      return (body as { result: { protocolVersion: string } }).result.protocolVersion;
    },
  ]),
  ["an unknown session", ({ url }) => post(url, LIST, { "mcp-session-id": "none" })],
  ["no session", ({ url }) => status(post(url, LIST))],
  [
    "a session of another caller",
    async ({ url }) => await status(post(url, LIST, { ...await session(url), authorization: "Bearer eve" })),
  ],
  [
    "a notification",
    async ({ url }) =>
      await status(post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, await session(url))),
  ],
  ["a body that is not JSON", async ({ url }) => await status(post(url, "{", await session(url)))],
  ["a body that is not JSON-RPC", async ({ url }) => await status(post(url, { hello: 1 }, await session(url)))],
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
  ["a foreign Host", ({ url }) => status(post(url, INITIALIZE, { host: "evil.example" }))],
  ["a stream of notifications", async ({ url }) => {
    const abort = new AbortController();
    const response = await fetch(url, {
      headers: { ...JSON_HEADERS, accept: "text/event-stream", ...await session(url) },
      signal: abort.signal,
    });
    const seen = { status: response.status, type: response.headers.get("content-type") };
    abort.abort();
    return seen;
  }],
  [
    "a stream without a session",
    ({ url }) => status(request(url, { headers: { ...JSON_HEADERS, accept: "text/event-stream" } })),
  ],
  ["the end of a session", async ({ url }) => {
    const headers = { ...JSON_HEADERS, ...await session(url) };
    const ended = await status(request(url, { method: "DELETE", headers }));
    return { ended, after: await status(post(url, LIST, headers)) };
  }],
  [
    "the end of an unknown session",
    ({ url }) => status(request(url, { method: "DELETE", headers: { ...JSON_HEADERS, "mcp-session-id": "none" } })),
  ],
  ["another method of HTTP", ({ url }) => status(request(url, { method: "PUT", headers: JSON_HEADERS, body: "{}" }))],
  ["what one session unlocks, another one does not see", async (target) => {
    const headers = { authorization: "Bearer eve" };
    const [first, second] = [await target.connect({ headers }), await target.connect({ headers })];
    await callOf(first, "accept_rules");
    const has = async ({ client }: Connection) =>
      (await client.listTools()).tools.some(({ name }) => name === "sell_item");
    return [await has(first), await has(second)];
  }],
  ["a form over 2025-06-18", async (target) => {
    const connection = await target.connect({ forms: [{ action: "accept", content: { sure: true, reason: "lost" } }] });
    return await callOf(connection, "remove_item", { id: "d1" });
  }],
  [
    "ten calls at a time",
    use(async (connection) =>
      await Promise.all(Array.from({ length: 10 }, (_, index) => callOf(connection, "greet", { name: `n${index}` })))
    ),
  ],
];

const STDIO_ONLY: readonly Check[] = [
  ["the caller", call("who_am_i")],
  ["a session", call("session")],
];

/** Checks over HTTP. */
export const OVER_HTTP: readonly Check[] = [...SHARED, ...HTTP_ONLY];
/** Checks over stdio. */
export const OVER_STDIO: readonly Check[] = [...STDIO_ONLY, ...SHARED].map(([name, run]) => [`stdio: ${name}`, run]);
