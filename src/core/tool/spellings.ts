/**
 * What other libraries call the parts of a tool's definition, and the methods of a server: the official SDK, FastMCP, mcp-lite, tRPC, the AI
 * SDK and Mastra. The errors for these names, and `toolwire migrate`, read this table.
 */

/** Steps of a definition here, in their order. */
export const STEP_ORDER = [
  "title",
  "describe",
  "input",
  "output",
  "examples",
  "annotate",
  "meta",
  "timeout",
  "visibleTo",
  "handle",
] as const;

/** Name of a step of a definition. */
export type Step = typeof STEP_ORDER[number];

/** Steps by the names that other libraries have for them, as members of a definition or as methods. */
export const STEPS: ReadonlyMap<string, Step> = new Map<string, Step>([
  ["title", "title"],
  ["description", "describe"],
  ["desc", "describe"],
  ["parameters", "input"],
  ["inputSchema", "input"],
  ["paramsSchema", "input"],
  ["schema", "input"],
  ["args", "input"],
  ["params", "input"],
  ["input", "input"],
  ["outputSchema", "output"],
  ["returns", "output"],
  ["output", "output"],
  ["inputExamples", "examples"],
  ["annotations", "annotate"],
  ["_meta", "meta"],
  ["meta", "meta"],
  ["timeoutMs", "timeout"],
  ["canAccess", "visibleTo"],
  ["execute", "handle"],
  ["handler", "handle"],
  ["handle", "handle"],
  ["run", "handle"],
  ["invoke", "handle"],
  ["callback", "handle"],
  ["func", "handle"],
  ["resolve", "handle"],
  ["action", "handle"],
  ["implement", "handle"],
  ["query", "handle"],
  ["mutation", "handle"],
  ["subscription", "handle"],
]);

const APPROVAL =
  'await ctx.elicit("approve", { … }) in the handler, or .annotate({ destructiveHint: true }) and approve of the adapter';
const hint = (name: string): string => `.annotate({ ${name}: true })`;
const SCOPES = '.scopes("docs:read", …), with the scopes that a caller needs';
const TOOL_MIDDLEWARE = ".use(middleware)";

/** Other methods of tools, and what to write. */
export const TOOL_LINES: Readonly<Record<string, string>> = {
  requires: SCOPES,
  scope: SCOPES,
  requireScope: SCOPES,
  requireScopes: SCOPES,
  requiredScopes: SCOPES,
  permissions: SCOPES,
  authorize: SCOPES,
  auth: SCOPES,
  middleware: TOOL_MIDDLEWARE,
  guard: TOOL_MIDDLEWARE,
  version: '.revision("2")',
  needsApproval: APPROVAL,
  requireApproval: APPROVAL,
  confirm: APPROVAL,
  readOnly: hint("readOnlyHint"),
  destructive: hint("destructiveHint"),
  idempotent: hint("idempotentHint"),
  openWorld: hint("openWorldHint"),
  error: '.errors({ not_found: null }), and throw ctx.fail("not_found", message) in the handler',
  stream: ".handle(async function* (input, ctx) { yield piece; })",
  retry: ".promise({ retries: 2 }), for work that is run as a job",
  retries: ".promise({ retries: 2 }), for work that is run as a job",
  rateLimit: 'createServer({ tools, middleware: [rateLimit({ … })] }), with rateLimit of "toolwire/middleware"',
  tags: '.keywords(["…"])',
};

/** Members of definitions that are not steps here, and what is written in their place. Others are named in a comment. */
export const MEMBER_LINES: Readonly<Record<string, string>> = {
  needsApproval: APPROVAL,
  requireApproval: APPROVAL,
  toModelOutput: ".render((output) => …)",
  contextSchema: ".use(middleware), which sets ctx.state",
  strict: "",
  type: "",
};

const STEP = 'ctx.step("charge", () => work())';
const WAIT = 'ctx.waitFor("approval", schema, { timeoutMs })';
const SLEEP = 'ctx.sleep("night", 3_600_000)';

/** Members of `step` in libraries for durable work, and what is written here. */
export const STEP_LINES: Readonly<Record<string, string>> = {
  do: STEP,
  run: STEP,
  sleep: SLEEP,
  sleepUntil: SLEEP,
  waitForEvent: WAIT,
};

/** Members of a handler's second argument in other libraries, and what is written here. */
export const CONTEXT_LINES: Readonly<Record<string, string>> = {
  reportProgress: "ctx.progress(done, total)",
  streamContent: "yield, in .handle(async function* (input, ctx) { … })",
  abortSignal: "ctx.signal",
  authInfo: "ctx.principal",
  mcpReq: "ctx.signal, ctx.log(level, data), ctx.progress(done, total), ctx.elicit(key, { … })",
  sendNotification: "ctx.log(level, data), or ctx.progress(done, total)",
  sendRequest: "ctx.elicit(key, { … })",
  requestInfo: 'ctx.metadata.get("user-agent")',
  toolCallId: "ctx.callId",
  run: STEP,
  waitForEvent: WAIT,
  sleepUntil: SLEEP,
  json: "return the value itself",
  text: "return the text itself",
};

/** Names that other libraries have for the name of a tool. */
export const NAMES: readonly string[] = ["name", "id", "toolName"];

/** Methods with which servers of other libraries register something, and what. */
export const REGISTERING: Readonly<Record<string, "tool" | "resource" | "prompt">> = {
  registerTool: "tool",
  tool: "tool",
  addTool: "tool",
  addTools: "tool",
  registerResource: "resource",
  resource: "resource",
  addResource: "resource",
  addResources: "resource",
  addResourceTemplate: "resource",
  addResourceTemplates: "resource",
  registerPrompt: "prompt",
  prompt: "prompt",
  addPrompt: "prompt",
  addPrompts: "prompt",
};

const SERVE = 'serve(server), of "toolwire/serve"; over stdio: serveStdio(server), of "toolwire/stdio"';

const NODE =
  'app.use("/api", toNodeHandler(server)), of "toolwire/serve", in Express and node:http; elsewhere server.fetch(request)';

/** The line of a server with a wire. */
const withWire = (wire: string): string =>
  `createServer({ tools: [ … ], wires: [${wire}()] }), with ${wire} of "toolwire/${wire}"`;

/** Other methods of servers, and what to write. */
export const SERVER_LINES: Readonly<Record<string, string>> = {
  connect: SERVE,
  start: SERVE,
  listen: SERVE,
  run: SERVE,
  use: "createServer({ tools: [ … ], middleware: [ … ] })",
  onError: "createServer({ tools: [ … ], middleware: [ … ] }), where a middleware may catch what next() throws",
  get:
    'server.fetch, in the app: app.mount("/", server.fetch), or the tool over REST: createServer({ tools, wires: [rest()] })',
  post:
    'server.fetch, in the app: app.mount("/", server.fetch), or the tool over REST: createServer({ tools, wires: [rest()] })',
  group: 'createServer({ tools: [ … ], parts: [group("prefix", child)] }), with group of "toolwire/compose"',
  setRequestHandler:
    'defineTool("name").describe("…").input(…).handle(…), for each tool, and createServer({ tools: [ … ] })',
  route: 'server.fetch, in the app: app.mount("/", server.fetch)',
  express: NODE,
  fastify: NODE,
  koa: NODE,
  handler: NODE,
  nodeHandler: NODE,
  middleware: NODE,
  handle: 'server.fetch(request), or serve(server), of "toolwire/serve"',
  createCaller: 'createClient(server), or testClient(server) of "toolwire/testing"',
  request:
    'testClient(server).$.call("name", { … }), of "toolwire/testing", or server.fetch(new Request("http://localhost/…"))',
  getApp: 'server.fetch, in the app: app.mount("/", server.fetch)',
  basePath: 'createServer({ tools: [ … ], basePath: "/api" })',
  merge: 'createServer({ tools: [ … ], parts: [mount(other)] }), with mount of "toolwire/compose"',
  // No "stop": Bun does not serve the default export of a module if it has a function of that name.
  on: "createServer({ tools: [ … ], middleware: [ … ], onComplete: … })",
  sendToolListChanged: 'server.notify.listChanged("tools")',
  sendResourceListChanged: 'server.notify.listChanged("resources")',
  sendPromptListChanged: 'server.notify.listChanged("prompts")',
  sendLoggingMessage: "ctx.log(level, data), in a handler",
  mcp: withWire("mcp"),
  rest: withWire("rest"),
  grpc: withWire("grpc"),
};
