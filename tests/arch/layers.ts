/**
 * The layers of the source: which folders each has, and what it may import.
 *
 * The test in this folder holds the source to this table, and the diagram of docs/architecture.md is generated from it.
 *
 * @module
 */

/** One layer. */
export interface Layer {
  /** Name of the layer. */
  readonly name: string;
  /** Folders of the layer. `*` stands for one name, `**` for any number of folders. */
  readonly folders: readonly string[];
  /** Names of the layers that it may import; `type:` before a name allows only types. */
  readonly imports: readonly string[];
}

const CORE = ["errors", "call", "token", "json schema", "schema", "handler", "tool"];
const WIRE_CLIENT = ["internal", "errors", "call", "framing", "http client", "wire messages"];
const BELOW_WIRES = [
  "internal",
  ...CORE,
  "type:content",
  "dispatch",
  "framing",
  "redaction",
  "contract diff",
  "recording",
];

/** The layers, from the bottom up. The first layer that fits a path is its layer. */
export const LAYERS: readonly Layer[] = [
  {
    name: "entry",
    folders: ["mod.ts", "src/**/mod.ts"],
    imports: [
      "internal",
      ...CORE,
      "tool search",
      "content",
      "dispatch",
      "questions",
      "answers",
      "keys",
      "schedules",
      "promises",
      "jobs",
      "engine",
      "engine stores",
      "redis connection",
      "http client",
      "framing",
      "wire",
      "wire messages",
      "wire server",
      "console",
      "wire client",
      "client",
      "server",
      "preset",
      "compose",
      "agents",
      "auth",
      "middleware",
      "oauth",
      "openapi",
      "otel",
      "packaging",
      "redis",
      "runtime",
      "cli",
      "testing",
      "tokenizer",
      "webhooks",
      "temporal",
      "webmcp",
    ],
  },
  { name: "internal", folders: ["src/internal/"], imports: [] },
  { name: "errors", folders: ["src/core/errors/"], imports: ["internal"] },
  { name: "call", folders: ["src/core/call/"], imports: ["internal", "errors"] },
  { name: "token", folders: ["src/core/token/"], imports: ["internal", "errors"] },
  { name: "redaction", folders: ["src/core/redaction/"], imports: ["internal", "type:errors", "token"] },
  { name: "json schema", folders: ["src/core/json_schema/"], imports: ["internal"] },
  { name: "tool search", folders: ["src/core/tool_search/"], imports: ["internal", "json schema"] },
  { name: "recording", folders: ["src/core/recording/"], imports: ["internal", "call", "token", "redaction"] },
  { name: "contract diff", folders: ["src/core/contract_diff/"], imports: ["internal", "call", "json schema"] },
  { name: "schema", folders: ["src/core/schema/"], imports: ["internal", "errors", "call", "json schema"] },
  {
    name: "handler",
    folders: ["src/core/handler/"],
    imports: ["internal", "errors", "call", "schema"],
  },
  {
    name: "tool",
    folders: ["src/core/tool/"],
    imports: ["internal", "errors", "call", "type:token", "schema", "handler"],
  },
  {
    name: "content",
    folders: ["src/core/content/"],
    imports: ["internal", "errors", "call", "schema", "handler", "tool"],
  },
  {
    name: "questions",
    folders: ["src/core/dispatch/questions/"],
    imports: ["internal", ...CORE, "dispatch", "type:engine"],
  },
  {
    name: "answers",
    folders: ["src/core/dispatch/answers/"],
    imports: ["internal", ...CORE, "dispatch"],
  },
  {
    name: "keys",
    folders: ["src/core/keys/"],
    imports: ["internal", "errors", "token", "type:handler", "type:dispatch", "questions"],
  },
  {
    name: "promises",
    folders: ["src/core/dispatch/promises/"],
    imports: ["internal", ...CORE, "dispatch", "questions", "keys", "type:engine"],
  },
  {
    name: "schedules",
    folders: ["src/core/dispatch/schedules/"],
    imports: ["internal", ...CORE, "dispatch", "type:engine"],
  },
  {
    name: "dispatch",
    folders: ["src/core/dispatch/"],
    imports: ["internal", ...CORE, "type:engine"],
  },
  {
    name: "jobs",
    folders: ["src/core/jobs/"],
    imports: ["internal", ...CORE, "redaction", "dispatch", "type:engine"],
  },
  {
    name: "engine",
    folders: ["src/engine/*.ts"],
    imports: ["internal", "errors", "call", "type:handler", "type:dispatch", "promises"],
  },
  { name: "redis connection", folders: ["src/engine/redis/"], imports: ["internal", "engine"] },
  {
    name: "engine stores",
    folders: ["src/engine/*/"],
    imports: ["internal", "errors", "call", "type:handler", "engine", "redis connection", "type:dispatch", "promises"],
  },
  { name: "http client", folders: ["src/http_client/"], imports: ["internal", "errors", "call"] },
  { name: "framing", folders: ["src/wires/framing/"], imports: ["internal", "errors", "call"] },
  {
    name: "wire",
    folders: ["src/wires/wire.ts"],
    imports: ["internal", ...CORE, "type:content", "dispatch"],
  },
  {
    name: "wire messages",
    folders: ["src/wires/*/messages/", "src/wires/*/protocol/"],
    imports: ["internal", "errors", "call", "json schema", "framing"],
  },
  {
    name: "wire client",
    folders: ["src/wires/*/client/", "src/wires/*/*/client/"],
    imports: [...WIRE_CLIENT, "type:handler", "type:tool", "type:dispatch", "json schema"],
  },
  {
    name: "console",
    folders: ["src/wires/console/server/"],
    imports: ["jobs", "type:engine", ...BELOW_WIRES, "wire", "server", "agents"],
  },
  {
    name: "wire server",
    folders: ["src/wires/*/server/", "src/wires/*/*/server/", "src/wires/*/*/sessions/", "src/wires/http_pages/"],
    imports: [...BELOW_WIRES, "wire", "wire messages"],
  },
  {
    name: "client",
    folders: ["src/client/"],
    imports: ["internal", "errors", "call", "http client", "type:handler", "type:tool", "wire client"],
  },
  {
    name: "preset",
    folders: ["src/server/preset/"],
    imports: [
      "internal",
      ...CORE,
      "type:dispatch",
      "questions",
      "keys",
      "promises",
      "engine",
      "wire client",
      "wire server",
      "server",
    ],
  },
  {
    name: "compose",
    folders: ["src/server/compose/"],
    imports: [
      "internal",
      ...CORE,
      "content",
      "dispatch",
      "answers",
      "type:wire",
      "wire messages",
      "wire client",
      "type:client",
      "type:server",
    ],
  },
  {
    name: "server",
    folders: ["src/server/"],
    imports: [...BELOW_WIRES, "tool search", "type:engine", "wire", "wire server"],
  },
  {
    name: "agents",
    folders: ["src/integrations/agents/"],
    imports: ["internal", "errors", "call", "json schema", "tool search", "client", "wire client"],
  },
  { name: "webmcp", folders: ["src/integrations/webmcp/"], imports: ["internal", "agents"] },
  {
    name: "middleware",
    folders: ["src/integrations/middleware/"],
    imports: ["internal", "errors", "call", "token", "handler", "tool"],
  },
  {
    name: "redis",
    folders: ["src/integrations/redis/"],
    imports: [
      "internal",
      "engine",
      "redis connection",
      "type:call",
      "type:handler",
      "type:middleware",
      "type:wire server",
    ],
  },
  {
    name: "otel",
    folders: ["src/integrations/otel/"],
    imports: ["internal", "errors", "call", "type:handler", "type:tool"],
  },
  {
    name: "webhooks",
    folders: ["src/integrations/webhooks/"],
    imports: ["internal", "errors", "call", "token", "type:handler", "tool", "type:dispatch", "type:engine"],
  },
  {
    name: "temporal",
    folders: ["src/integrations/temporal/"],
    imports: ["internal", "errors", "json schema", "type:schema", "type:handler", "type:tool"],
  },
  { name: "tokenizer", folders: ["src/integrations/tokenizer/"], imports: [] },
  {
    name: "openapi",
    folders: ["src/integrations/openapi/"],
    imports: ["internal", ...CORE, "http client"],
  },
  {
    name: "auth",
    folders: ["src/integrations/auth/"],
    imports: ["internal", "errors", "call", "http client", "dispatch", "framing", "wire", "wire server", "type:server"],
  },
  {
    name: "oauth",
    folders: ["src/integrations/oauth/"],
    imports: ["internal", "errors", "call", "http client", "wire client"],
  },
  {
    name: "packaging",
    folders: ["src/integrations/packaging/"],
    imports: ["internal", "call", "wire client", "client"],
  },
  {
    name: "runtime",
    folders: ["src/runtime/"],
    imports: ["internal", "errors", "call", "token", "tool", "type:dispatch", "keys", "wire", "server"],
  },
  {
    name: "cli",
    folders: ["src/cli/"],
    imports: [
      "internal",
      ...CORE,
      "redaction",
      "contract diff",
      "recording",
      "type:dispatch",
      "http client",
      "framing",
      "wire messages",
      "wire server",
      "console",
      "wire client",
      "client",
      "type:server",
      "oauth",
      "openapi",
      "packaging",
      "runtime",
      "entry",
    ],
  },
  {
    name: "testing",
    folders: ["src/testing/"],
    imports: [
      "internal",
      "errors",
      "call",
      "token",
      "type:schema",
      "tool",
      "type:dispatch",
      "keys",
      "promises",
      "engine",
      "client",
      "wire client",
      "server",
    ],
  },
];

/** Packages, by the folders that may import them at run time. */
export const PACKAGES: readonly (readonly [name: string, folders: readonly string[]])[] = [
  ["@bufbuild/protobuf", ["src/wires/grpc/"]],
  ["@connectrpc/connect", ["src/wires/grpc/"]],
  ["@cfworker/json-schema", ["src/core/json_schema/"]],
  ["croner", ["src/core/dispatch/schedules/"]],
  ["valibot", ["src/core/schema/"]],
  ["@valibot/to-json-schema", ["src/core/schema/"]],
  ["@noble/hashes", ["src/core/token/", "src/core/recording/"]],
  ["@noble/ciphers", ["src/core/keys/"]],
  ["@clack/prompts", ["src/cli/"]],
  ["@stricli/core", ["src/cli/"]],
  ["ipaddr.js", ["src/integrations/webhooks/"]],
  ["eventsource-parser", ["src/http_client/"]],
  ["gpt-tokenizer", ["src/integrations/tokenizer/"]],
  ["jose", ["src/integrations/auth/"]],
  ["esbuild", ["src/integrations/packaging/"]],
  ["jsonc-parser", ["src/cli/"]],
  ["smol-toml", ["src/cli/"]],
  ["oauth4webapi", ["src/integrations/oauth/"]],
  ["bullmq", ["src/engine/bullmq/", "src/engine/redis/"]],
  ["ioredis", ["src/engine/bullmq/", "src/engine/redis/"]],
  ["@opentelemetry/api", ["src/integrations/otel/"]],
  ["pg", ["src/engine/bullmq/", "src/engine/redis/"]],
];

/** Folders that may name the globals and modules of a runtime. */
export const RUNTIME_FOLDERS: readonly string[] = [
  "src/runtime/",
  "src/cli/",
  "src/engine/*/",
  "src/wires/mcp/stdio/",
  "src/wires/grpc/client/native/",
  "src/integrations/oauth/loopback/",
  "src/integrations/packaging/",
  "src/integrations/webhooks/public_fetch.ts",
  // Whether standard error is a terminal.
  "src/integrations/middleware/console_loggers.ts",
];
