/** What clients see of the library of notes, over HTTP and over stdio. */
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { callOf, type Check, type Connection, outcome, request, type Target } from "./checks.ts";

const call = (name: string, args?: Record<string, unknown>) => async (target: Target) =>
  await callOf(await target.connect(), name, args);

const use = (work: (connection: Connection) => unknown) => async (target: Target) => {
  const connection = await target.connect();
  return await outcome(() => work(connection));
};

const toolNamed = (name: string) =>
  use(async ({ client }) => (await client.listTools()).tools.find((tool) => tool.name === name));

const ask = (forms: readonly ElicitResult[]) => async (target: Target) => {
  const connection = await target.connect({ forms });
  const answer = await callOf(connection, "drop_note", { id: "n1" });
  return { asked: connection.asked, answer };
};

/** Checks that are the same over HTTP and over stdio. */
const SHARED: readonly Check[] = [
  ["name and version", use(({ client }) => client.getServerVersion())],
  ["instructions", use(({ client }) => client.getInstructions())],
  ["capabilities", use(({ client }) => client.getServerCapabilities())],
  ["ping", use(({ client }) => client.ping())],
  ["names of tools", use(async ({ client }) => (await client.listTools()).tools.map(({ name }) => name))],
  ["a tool with a schema and annotations", toolNamed("find_notes")],
  [
    "bounds of a whole number",
    use(async ({ client }) => {
      const { tools } = await client.listTools();
      return tools.find(({ name }) => name === "find_notes")?.inputSchema.properties?.["limit"];
    }),
  ],
  ["a tool with an output", toolNamed("count_notes")],
  ["a tool without arguments", toolNamed("cover")],
  ["a text", call("find_notes", { word: "milk" })],
  ["a default of the schema", call("find_notes", { word: "to" })],
  ["a limit", call("find_notes", { word: "an", limit: 1 })],
  ["an argument of the wrong type", call("find_notes", { word: 4 })],
  ["an argument out of its range", call("find_notes", { word: "milk", limit: 21 })],
  ["a missing argument", call("read_note")],
  ["an argument that the schema does not have", call("read_note", { id: "n1", extra: 1 })],
  ["two texts", call("read_note", { id: "n1" })],
  ["an error for the user", call("read_note", { id: "zz" })],
  ["a structured answer", call("count_notes")],
  ["an image", call("cover")],
  ["a sound", call("jingle")],
  ["blocks", call("shelf")],
  ["nothing", call("nothing")],
  ["an exception", call("fail")],
  ["an error as a result", call("refuse")],
  ["an unknown tool", call("fly")],
  [
    "progress",
    use(async ({ client, notified }) => {
      await client.callTool({ name: "index_notes", arguments: { steps: 3 }, _meta: { progressToken: "t" } });
      return await notified("notifications/progress", 3);
    }),
  ],
  [
    "no progress without a token",
    use(async (connection) => {
      const answer = await callOf(connection, "index_notes", { steps: 2 });
      return { answer, notifications: connection.notifications.filter(({ method }) => /progress/.test(method)) };
    }),
  ],
  [
    "log lines",
    use(async (connection) => {
      await connection.client.setLoggingLevel("info");
      await callOf(connection, "write_note", { id: "n3", text: "Tea" });
      return (await connection.notified("notifications/message", 2)).map(({ params }) => params);
    }),
  ],
  ["a form that is accepted", ask([{ action: "accept", content: { sure: true } }])],
  ["a form that is answered with no", ask([{ action: "accept", content: { sure: false } }])],
  ["a form that is declined", ask([{ action: "decline" }])],
  ["a form that is cancelled", ask([{ action: "cancel" }])],
  ["a client without forms", call("drop_note", { id: "n1" })],
  ["resources", use(async ({ client }) => (await client.listResources()).resources)],
  ["templates of resources", use(async ({ client }) => (await client.listResourceTemplates()).resourceTemplates)],
  ["a resource of text", use(({ client }) => client.readResource({ uri: "notes://rules" }))],
  ["a resource of bytes", use(({ client }) => client.readResource({ uri: "notes://cover" }))],
  ["a resource of a template", use(({ client }) => client.readResource({ uri: "note://n2" }))],
  ["a resource that its reader does not find", use(({ client }) => client.readResource({ uri: "note://zz" }))],
  ["an unknown resource", use(({ client }) => client.readResource({ uri: "notes://none" }))],
  [
    "completion of a template's variable",
    use(async ({ client }) =>
      (await client.complete({
        ref: { type: "ref/resource", uri: "note://{id}" },
        argument: { name: "id", value: "n1" },
      }))
        .completion
    ),
  ],
  [
    "completion of a prompt's argument",
    use(async ({ client }) =>
      (await client.complete({ ref: { type: "ref/prompt", name: "compare" }, argument: { name: "first", value: "n" } }))
        .completion
    ),
  ],
  [
    "completion of choices",
    use(async ({ client }) =>
      (await client.complete({ ref: { type: "ref/prompt", name: "summary" }, argument: { name: "tone", value: "d" } }))
        .completion
    ),
  ],
  ["prompts", use(async ({ client }) => (await client.listPrompts()).prompts)],
  ["a prompt", use(({ client }) => client.getPrompt({ name: "summary", arguments: { id: "n1", tone: "warm" } }))],
  [
    "a prompt without the optional argument",
    use(({ client }) => client.getPrompt({ name: "summary", arguments: { id: "n1" } })),
  ],
  ["a prompt of messages", use(({ client }) => client.getPrompt({ name: "compare", arguments: { first: "n1" } }))],
  ["a prompt without its argument", use(({ client }) => client.getPrompt({ name: "summary", arguments: {} }))],
  [
    "a choice that the prompt does not have",
    use(({ client }) => client.getPrompt({ name: "summary", arguments: { id: "n1", tone: "loud" } })),
  ],
  ["an unknown prompt", use(({ client }) => client.getPrompt({ name: "none" }))],
];

const HEADERS = {
  "x-api-key": "key-ada",
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
const EVE = { "x-api-key": "key-eve" };

const HTTP_ONLY: readonly Check[] = [
  ["the caller", call("who_am_i")],
  ["another caller", async (target) => await callOf(await target.connect({ headers: EVE }), "who_am_i")],
  ["a tool that a caller may not use", async (target) => {
    const { client } = await target.connect({ headers: EVE });
    return (await client.listTools()).tools.some(({ name }) => name === "write_note");
  }],
  [
    "a call of a tool that a caller may not use",
    async (target) => await callOf(await target.connect({ headers: EVE }), "write_note", { id: "n9", text: "x" }),
  ],
  ["no key", ({ url }) => status(post(url, INITIALIZE, { "x-api-key": "" }))],
  ["an unknown key", ({ url }) => status(post(url, INITIALIZE, { "x-api-key": "key-mallory" }))],
  ["a page for health", ({ url }) => request(url.replace("/mcp", "/health"), {})],
  ["a route of the application", ({ url }) => request(url.replace("/mcp", "/version"), {})],
  ["initialize has a session", async ({ url }) => {
    const { status, headers } = await post(url, INITIALIZE, {}, "mcp-session-id", "content-type");
    return { status, type: headers["content-type"], session: Boolean(headers["mcp-session-id"]) };
  }],
  ...["2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01"].map((version): Check => [
    `initialize with ${version}`,
    async ({ url }) => {
      const { body } = await post(url, { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: version } });
      return (body as { result?: { protocolVersion: string } }).result?.protocolVersion;
    },
  ]),
  ["an unknown session", ({ url }) => status(post(url, LIST, { "mcp-session-id": "none" }))],
  ["no session", ({ url }) => status(post(url, LIST))],
  ["a body that is not JSON", ({ url }) => status(post(url, "{"))],
  ["the end of a session", async ({ url }) => {
    const { headers } = await post(url, INITIALIZE, {}, "mcp-session-id");
    const session = { ...HEADERS, "mcp-session-id": headers["mcp-session-id"] ?? "" };
    return await status(request(url, { method: "DELETE", headers: session }));
  }],
  ["a stream of notifications", async ({ url }) => {
    const { headers } = await post(url, INITIALIZE, {}, "mcp-session-id");
    const abort = new AbortController();
    const session = { "mcp-session-id": headers["mcp-session-id"] ?? "", "mcp-protocol-version": "2025-06-18" };
    const response = await fetch(url, {
      headers: { ...HEADERS, accept: "text/event-stream", ...session },
      signal: abort.signal,
    });
    const seen = { status: response.status, type: response.headers.get("content-type") };
    abort.abort();
    return seen;
  }],
  ["another path", ({ url }) => status(request(url.replace("/mcp", "/none"), {}))],
  [
    "ten calls at a time",
    use(async (connection) =>
      await Promise.all(Array.from({ length: 10 }, () => callOf(connection, "read_note", { id: "n1" })))
    ),
  ],
];

/** Checks over HTTP. */
export const OVER_HTTP: readonly Check[] = [...SHARED, ...HTTP_ONLY];
/** Checks over stdio. */
export const OVER_STDIO: readonly Check[] = [...SHARED, ["the caller", call("who_am_i")] satisfies Check]
  .map(([name, run]) => [`stdio: ${name}`, run]);
