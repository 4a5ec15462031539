/** What is converted, as data: packages, names of their exports, members of contexts, and reasons of what is left. */

/** A converted library: the MCP SDK 1.x (`v1`), the packages of the MCP SDK 2.x (`v2`), mcp-lite, or FastMCP for TypeScript. */
export type Library = "v1" | "v2" | "mcp-lite" | "fastmcp";

/** Classes of servers in the libraries. */
export const SERVER_CLASSES: readonly string[] = ["McpServer", "FastMCP"];

/** Members of FastMCP's definitions by the names that the others have for them. */
export const FASTMCP_MEMBERS: Readonly<Record<string, string>> = { parameters: "inputSchema", arguments: "argsSchema" };

/** Patterns of the modules of each converted library. The first that fits a module decides. */
export const MODULES: readonly (readonly [pattern: RegExp, library: Library])[] = [
  [/^@modelcontextprotocol\/sdk(\/|$)/, "v1"],
  [/^@modelcontextprotocol\/(server|client|core|node|express|hono|fastify|server-legacy)(\/|$)/, "v2"],
  [/^mcp-lite(\/|$)/, "mcp-lite"],
  [/^fastmcp(\/|$)/, "fastmcp"],
];

/** Packages that are removed from package.json when no file imports them any more. */
export const PACKAGES: readonly RegExp[] = [
  /^@modelcontextprotocol\/(sdk|server|client|core|node|express|hono|fastify)$/,
  /^(mcp-lite|fastmcp)$/,
];

/** Modules whose schemas have a JSON form here, so that no adapter is needed. */
export const CONVERTIBLE_SCHEMAS: RegExp = /^(zod|valibot|arktype|@valibot\/to-json-schema)(\/|$)/;

/** Transports over HTTP whose `handleRequest` answers a request. */
export const HTTP_TRANSPORTS: readonly string[] = [
  "StreamableHTTPServerTransport",
  "NodeStreamableHTTPServerTransport",
  "WebStandardStreamableHTTPServerTransport",
];

/** Names of the types of results in the libraries. Return types with them are removed, as handlers return plain values here. */
export const RESULT_TYPES: readonly string[] = [
  "CallToolResult",
  "ToolCallResult",
  "GetPromptResult",
  "PromptGetResult",
  "ReadResourceResult",
  "InputRequiredResult",
  "ResourceReadResult",
];

/** Types of the libraries that have the same name and meaning here. */
export const SAME_TYPES: readonly string[] = ["Logger"];

/** Names of the types of a handler's context in the libraries. `Ctx` replaces them. */
export const CONTEXT_TYPES: readonly string[] = ["ServerContext", "RequestHandlerExtra", "MCPServerContext", "Context"];

/** Names of the types of what registering returned, and of factories. They have no counterpart; annotations with them are removed. */
export const DROPPED_TYPES: readonly string[] = [
  "RegisteredTool",
  "RegisteredResource",
  "RegisteredPrompt",
  "McpServerFactory",
];

/** How a member of a context is converted: to a member here, by a function of `context_members.ts`, to one of a round, or by a person. */
export type ContextRule =
  | { readonly to: string }
  | {
    readonly by:
      | "notify"
      | "request"
      | "log"
      | "elicit"
      | "sample"
      | "roots"
      | "report"
      | "progressToken"
      | "headers"
      | "session"
      | "authInfo";
  }
  | { readonly round: "inputResponses" | "requestState" }
  | { readonly log: "debug" | "info" | "warn" | "error" }
  | { readonly todo: TodoCode };

/** Rules for the members of a handler's context, by library and path. */
export const CONTEXT: Readonly<Record<Library, Readonly<Record<string, ContextRule>>>> = {
  "v1": {
    "signal": { to: "signal" },
    "requestId": { to: "requestId" },
    "sessionId": { to: "sessionId" },
    "authInfo": { by: "authInfo" },
    "requestInfo.headers": { by: "headers" },
    "requestInfo": { todo: "request-info" },
    "_meta.progressToken": { by: "progressToken" },
    "sendNotification": { by: "notify" },
    "sendRequest": { by: "request" },
  },
  "v2": {
    "mcpReq.signal": { to: "signal" },
    "mcpReq.id": { to: "requestId" },
    "mcpReq._meta.progressToken": { by: "progressToken" },
    "mcpReq.notify": { by: "notify" },
    "mcpReq.send": { by: "request" },
    "mcpReq.log": { by: "log" },
    "mcpReq.elicitInput": { by: "elicit" },
    "mcpReq.requestSampling": { by: "sample" },
    "mcpReq.inputResponses": { round: "inputResponses" },
    "mcpReq.requestState": { round: "requestState" },
    "sessionId": { to: "sessionId" },
    "http.authInfo": { by: "authInfo" },
    "http.req.headers.get": { to: "metadata.get" },
    "http.req": { todo: "request-info" },
    "era": { todo: "era" },
  },
  "mcp-lite": {
    "progress": { by: "report" },
    "elicit": { by: "elicit" },
    "sample": { by: "sample" },
    "state": { to: "state" },
    "env": { to: "env" },
    "validate": { to: "validate" },
    "client": { to: "client" },
    "session.id": { to: "sessionId" },
    "session": { todo: "session" },
    "authInfo": { by: "authInfo" },
    "request": { todo: "request-info" },
    "requestId": { to: "requestId" },
  },
  "fastmcp": {
    "signal": { to: "signal" },
    "requestId": { to: "requestId" },
    "sessionId": { to: "sessionId" },
    "reportProgress": { by: "report" },
    "elicit": { by: "elicit" },
    "log.debug": { log: "debug" },
    "log.info": { log: "info" },
    "log.warn": { log: "warn" },
    "log.error": { log: "error" },
    "streamContent": { todo: "stream-content" },
    "session": { by: "session" },
    "client.version.name": { to: "client.name" },
    "client.version.version": { to: "client.version" },
    "client.version": { todo: "client-version" },
  },
};

/** Codes of errors by the numbers of JSON-RPC, and by the names that the libraries give to them. */
export const RPC_CODES: Readonly<Record<string, string>> = {
  ...{ "-32700": "parse_error", ParseError: "parse_error", PARSE_ERROR: "parse_error" },
  ...{ "-32600": "invalid_request", InvalidRequest: "invalid_request", INVALID_REQUEST: "invalid_request" },
  ...{ "-32601": "method_not_found", MethodNotFound: "method_not_found", METHOD_NOT_FOUND: "method_not_found" },
  ...{ "-32602": "invalid_input", InvalidParams: "invalid_input", INVALID_PARAMS: "invalid_input" },
  // The message of an internal error is masked here, and was sent there.
  ...{ "-32603": "failed", InternalError: "failed", INTERNAL_ERROR: "failed" },
  RequestTimeout: "deadline_exceeded",
  ...{ "-32002": "resource_not_found", ResourceNotFound: "resource_not_found" },
};

/** Reasons why a place is left for a person, by code, as they are written into the file after the marker. */
export const TODOS = {
  "low-level":
    "Handlers of requests have no counterpart: define tools, resources and prompts, and pass them to createServer()",
  "server-use": "This use of the server has no counterpart",
  "chained":
    "Only calls beside the creation of the server are converted: this is the option parts, middleware or onError of createServer()",
  "rpc-error":
    "Throw a ToolError with a code, such as invalid_input, or a Failure with a code of yours: numbers of JSON-RPC are made of them",
  "error-handler": "The option onError of createServer() returns a Failure or a ToolError, or nothing",
  "server-kept": "Only servers in a const, or returned at once, are converted",
  "after-creation": "A server's lists are fixed when it is created: replace this by visibleTo() or by another server",
  "factory-state":
    "This function ran for each session or request, and runs once now: all callers share this. Keep what belongs to a caller by ctx.principal, or by caller state",
  "registration": "The arguments of this registration are not known here: write it as a definition",
  "handler": "The handler is defined elsewhere: adapt its parameters and what it returns",
  "result":
    "What is returned here is not known: return the value, or an array of content blocks; throw a Failure in place of isError",
  "render":
    "The text beside structuredContent is now the JSON of the answer: .render() makes another text of the answer",
  "context": "This member of the context has no counterpart",
  "auth-info": "The caller is ctx.principal, by the option auth of createServer()",
  "stream-content": "A handler that is an async generator streams what it yields, on every wire",
  "client-version": "Name and version of the calling software are ctx.client.name and ctx.client.version",
  "fastmcp-option":
    "These options of FastMCP are not converted: auth of createServer() identifies callers, server.fetch takes routes beside it",
  "fastmcp-closed":
    "The server refuses all callers until this is written: auth of createServer() identifies them, jwt() or signIn() for providers",
  "request-members":
    "authenticate() receives the headers, the method and the path of a request alone: it is called on every wire",
  "not-converted": "These names have no counterpart that the command knows, and are still those of the other library:",
  "request-info": "Headers are in ctx.metadata, the id is ctx.requestId",
  "session": "The id of the session is ctx.session; what the session keeps is in sessionState() of toolwire/mcp",
  "era": "One handler answers clients of all revisions: keep the code for older clients, which asks in place",
  "progress-token": "ctx.progress() may be called without a progress token",
  "question": "The parameters of this question are not known here: use ctx.elicit() or ctx.sample()",
  "question-options":
    "Options of a question have no counterpart: mcp({ askTimeoutMs }) is the time limit of all questions, ctx.signal ends with the call",
  "validators": "Validate the variable where it is read: ctx.validate(schema, value)",
  "bound-auth": "Pass the caller: server.fetch(request, { principal: { id, scopes, claims } }) sets ctx.principal",
  "question-key": "Each question of a call needs a separate key: add a part that differs in each round",
  "list": "List the variables of the template in place of URIs: .list(() => [{ variables: { … } }])",
  "schema": "The schema is not known here: pass a Standard Schema, or jsonSchema()",
  "transport": "The transport has no counterpart here: use server.fetch, serve(), toNodeHandler() or serveStdio()",
  "transport-options": "These options belong to mcp() and createServer(): sessions, hosts, origins",
  "glue": "Sessions and streams are handled by the server: remove what kept transports here",
  "path": "The server answers at /mcp: give mcp({ path }) the path of this route",
  "auth": "Authentication is the option auth of createServer()",
  "middleware":
    "Middleware runs around calls of tools, resources and prompts, and has ctx.call in place of ctx.request",
  "client": "The client is createClient(mcpTransport(url)): adapt calls and results",
  "input-required": "Questions are awaited in the handler: const answer = await ctx.elicit(key, { message, schema })",
} as const;

/** Code of a reason: a key of {@link TODOS}. */
export type TodoCode = keyof typeof TODOS;

/** Differences by design between the old and the converted code, by code. The command lists them at the end. */
export const NOTES = {
  "time-limit":
    "Handlers had no time limit, and have an hour by timeoutMs of createServer(); a person has 10 minutes for a question, by askTimeoutMs of mcp()",
  "described": "A description is required: the title or the name is used",
  "thrown":
    "Messages of errors that a handler throws are masked here: callers get a correlation id; throw a Failure for a message",
  "rerun":
    "A handler runs again from its start with the answer to its question: keep effects after it, or in ctx.step()",
  "completion": "Callers are not notified when a page was answered: they ask again",
  "run-time": "Results that come from elsewhere are read when the tool runs: several texts of an error are one message",
  "group": "Tools of a group are named prefix_tool here, and prefix/tool in mcp-lite",
  "event-store": "Streams can be resumed with sessions: an event store is not needed",
  "icons": "Tools have no icons",
  "ping": "Sessions are not pinged, as streams carry heartbeats; folders of the caller are asked for by ctx.roots()",
  "json-response": "An answer is JSON unless there was something before it",
} as const;

/** Code of a difference by design: a key of {@link NOTES}. */
export type NoteCode = keyof typeof NOTES;
