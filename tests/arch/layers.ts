/**
 * The layers of the source, from the bottom up: which folders each has, and which of the layers above it in this table it imports.
 *
 * The tests in this folder hold the source to this table, and the diagram of docs/architecture.md is generated from it.
 *
 * @module
 */

/** One layer. */
export interface Layer {
  /** Name of the layer. */
  readonly name: string;
  /** Folders of the layer, without the folders that another layer names. `*` stands for one name, `**` for any number of folders. */
  readonly folders: readonly string[];
  /** Names of the layers that it may import, each before it in the table; `type:` before a name allows only types. */
  readonly imports: readonly string[];
}

/** Reads `"internal, type:errors, json schema"`. */
function layer(name: string, folders: string, imports: string = ""): Layer {
  const read = (list: string) => list.split(",").map((part) => part.trim()).filter((part) => part !== "");
  return { name, folders: read(folders), imports: read(imports) };
}

const TOOLS = "internal, errors, call, token, json schema, schema, handler, tool";

/** All layers of the SDK, from the bottom up. */
const SDK: readonly Layer[] = [
  layer("internal", "src/internal/"),

  // What one call needs.
  layer("errors", "src/core/errors/", "internal"),
  layer("call", "src/core/call/", "internal, errors"),
  layer("token", "src/core/token/", "internal, errors"),
  layer("redaction", "src/core/redaction/", "internal, token"),
  layer("json schema", "src/core/json_schema/", "internal"),
  layer("schema", "src/core/schema/", "internal, errors, call, json schema"),
  layer("handler", "src/core/handler/", "internal, errors, call, schema"),
  layer("tool", "src/core/tool/", "internal, errors, call, type:token, schema, handler"),
  layer("content", "src/core/content/", "internal, errors, call, schema, handler, tool"),
  layer("dispatch", "src/core/dispatch/", TOOLS),
  layer("questions", "src/core/dispatch/questions/", `${TOOLS}, dispatch`),
  layer("answers", "src/core/dispatch/answers/", `${TOOLS}, dispatch`),
  layer("keys", "src/core/keys/", "token, type:handler, type:dispatch, questions"),

  // What looks at servers from outside.
  layer("tool search", "src/inspection/tool_search/", "internal, json schema"),
  layer("recording", "src/inspection/recording/", "internal, type:call, token, redaction"),
  layer("contract diff", "src/inspection/contract_diff/", "internal, call, json schema"),

  // Deferred work.
  layer("promises", "src/jobs/promises/", `${TOOLS}, dispatch, questions, keys`),
  layer("schedules", "src/jobs/schedules/", `${TOOLS}, dispatch`),
  layer("operators", "src/jobs/operators/", `${TOOLS}, redaction, dispatch`),
  layer("engine records", "src/jobs/engines/", "internal, errors, type:handler, type:dispatch"),
  layer(
    "memory engine",
    "src/jobs/engines/memory/",
    "internal, errors, type:dispatch, promises, engine records",
  ),
  layer("redis connection", "src/jobs/engines/redis/", "internal, engine records"),
  layer(
    "engine stores",
    "src/jobs/engines/*/",
    "internal, errors, type:handler, type:dispatch, promises, engine records, redis connection",
  ),

  // Protocols.
  layer("http client", "src/http_client/", "internal, errors, call"),
  layer("framing", "src/wires/framing/", "internal, type:errors, call"),
  layer("wire", "src/wires/", `${TOOLS}, type:content, dispatch`),
  layer(
    "wire messages",
    "src/wires/*/messages/, src/wires/*/protocol/",
    "internal, errors, call, json schema, framing",
  ),
  layer(
    "wire client",
    "src/wires/*/client/, src/wires/*/*/client/",
    "internal, errors, call, json schema, type:handler, type:tool, type:dispatch, http client, framing, wire messages",
  ),
  layer(
    "wire server",
    "src/wires/*/server/, src/wires/*/*/server/, src/wires/*/*/sessions/",
    `${TOOLS}, redaction, type:content, dispatch, framing, wire, wire messages`,
  ),

  // Both sides.
  layer("client", "src/client/", "internal, errors, call, type:handler, type:tool, http client, wire client"),
  layer("pages", "src/server/pages/", `${TOOLS}, dispatch, framing, wire`),
  layer("sandbox", "src/sandbox/", "internal, errors"),
  layer(
    "server",
    "src/server/",
    `${TOOLS}, redaction, type:content, dispatch, tool search, framing, wire, wire server, pages`,
  ),
  layer(
    "compose",
    "src/server/compose/",
    `${TOOLS}, content, dispatch, answers, type:wire, wire messages, wire client, type:client, type:server`,
  ),
  layer(
    "code mode",
    "src/server/code_mode/",
    `${TOOLS}, dispatch, tool search, sandbox, type:wire, server`,
  ),
  layer(
    "preset",
    "src/server/preset/",
    `${TOOLS}, dispatch, questions, keys, promises, memory engine, wire client, wire server, server`,
  ),

  // Other projects.
  layer("tokenizer", "src/integrations/tokenizer/"),
  layer("middleware", "src/integrations/middleware/", "internal, errors, call, token, handler, tool"),
  layer(
    "decisions",
    "src/integrations/decisions/",
    "internal, errors, call, token, type:schema, type:handler, type:dispatch",
  ),
  layer("otel", "src/integrations/otel/", "internal, type:errors, type:call, type:handler"),
  layer("openapi", "src/integrations/openapi/", `${TOOLS}, http client`),
  layer(
    "temporal",
    "src/integrations/temporal/",
    "internal, errors, json schema, type:schema, type:handler, type:tool",
  ),
  layer(
    "webhooks",
    "src/integrations/webhooks/",
    "internal, errors, type:call, token, type:handler, tool, type:dispatch",
  ),
  layer(
    "redis",
    "src/integrations/redis/",
    "internal, type:call, type:handler, engine records, redis connection, type:wire server, type:middleware",
  ),
  layer(
    "auth",
    "src/integrations/auth/",
    "internal, errors, call, type:schema, type:tool, dispatch, http client, wire, pages, type:server",
  ),
  layer("oauth", "src/integrations/oauth/", "internal, errors, call, http client"),
  layer(
    "sign in",
    "src/integrations/sign_in/",
    "internal, errors, type:call, token, keys, http client, framing, type:wire, pages, type:server, webhooks, auth, oauth",
  ),
  layer(
    "agents",
    "src/integrations/agents/",
    "internal, errors, call, json schema, type:handler, tool search, wire client, client",
  ),
  layer("webmcp", "src/integrations/webmcp/", "internal, agents"),
  layer(
    "skills",
    "src/integrations/skills/",
    "internal, errors, call, json schema, content, wire client, client",
  ),
  layer("apps", "src/integrations/apps/", "internal, call, token, type:tool, content, http client"),
  layer(
    "app views",
    "src/integrations/apps/view/",
    "internal, errors, call, type:tool, framing, wire client, client",
  ),
  layer("packaging", "src/integrations/packaging/", "internal, type:call, wire client, client"),

  // Programs that start servers, and what looks into them.
  layer(
    "runtime",
    "src/runtime/",
    "internal, errors, call, type:token, type:dispatch, keys, type:wire, server",
  ),
  layer(
    "testing",
    "src/testing/",
    "internal, errors, call, redaction, json schema, type:schema, tool, type:dispatch, keys, recording, promises, http client, wire messages, wire client, client, server",
  ),
  layer(
    "console",
    "src/console/",
    `${TOOLS}, type:content, redaction, dispatch, contract diff, recording, operators, framing, wire, server, agents`,
  ),
];

const names = SDK.map(({ name }) => name).join(", ");

/** The layers, from the bottom up: the SDK, its doors, which re-export it, and the programs made with it. */
export const LAYERS: readonly Layer[] = [
  ...SDK,
  layer("entry", "mod.ts, src/entries/", names),
  layer(
    "cli",
    "apps/cli/",
    "internal, errors, call, redaction, json schema, schema, type:handler, tool, tool search, recording, contract diff, http client, wire messages, wire client, wire server, client, pages, server, oauth, packaging, runtime, testing, console, entry",
  ),
];

/** Packages, by the folders that may import them at run time. */
export const PACKAGES: readonly (readonly [name: string, folders: readonly string[]])[] = [
  ["@bufbuild/protobuf", ["src/wires/grpc/"]],
  ["@connectrpc/connect", ["src/wires/grpc/"]],
  ["@cfworker/json-schema", ["src/core/json_schema/"]],
  ["croner", ["src/jobs/schedules/"]],
  ["valibot", ["src/core/schema/", "src/entries/", "apps/cli/docs/"]],
  ["@valibot/to-json-schema", ["src/core/schema/"]],
  ["@noble/hashes", ["src/core/token/", "src/inspection/recording/"]],
  ["@noble/ciphers", ["src/core/keys/"]],
  ["@clack/prompts", ["apps/cli/"]],
  ["@stricli/core", ["apps/cli/"]],
  ["ipaddr.js", ["src/integrations/webhooks/"]],
  ["eventsource-parser", ["src/http_client/"]],
  ["gpt-tokenizer", ["src/integrations/tokenizer/"]],
  ["jose", ["src/integrations/auth/", "src/integrations/sign_in/"]],
  ["esbuild", ["src/integrations/packaging/"]],
  ["jsonc-parser", ["apps/cli/"]],
  ["smol-toml", ["apps/cli/"]],
  ["ts-morph", ["apps/cli/"]],
  ["yaml", ["src/integrations/skills/"]],
  ["oauth4webapi", ["src/integrations/oauth/", "src/integrations/sign_in/"]],
  ["bullmq", ["src/jobs/engines/bullmq/", "src/jobs/engines/redis/"]],
  ["ioredis", ["src/jobs/engines/bullmq/", "src/jobs/engines/redis/"]],
  ["@opentelemetry/api", ["src/integrations/otel/"]],
  ["pg", ["src/jobs/engines/bullmq/", "src/jobs/engines/redis/"]],
  ["quickjs-wasi", ["src/sandbox/quickjs/"]],
  ["ws", ["src/runtime/"]],
];

/** Folders that may name the globals and modules of a runtime. */
export const RUNTIME_FOLDERS: readonly string[] = [
  "src/runtime/",
  // What of another layer needs a runtime.
  "src/**/runtime/",
  "src/jobs/engines/bullmq/",
  "src/jobs/engines/durable_object/",
  "src/jobs/engines/redis/",
  "src/jobs/engines/sqlite/",
  "src/wires/mcp/stdio/",
  "src/wires/grpc/client/native/",
  "src/integrations/oauth/loopback/",
  "src/integrations/packaging/",
  "apps/",
];

/**
 * Parts of the SDK that the programs beside the command line bundle. What a page of the console decodes, such as recordings and files in
 * answers, is needed by no user of the SDK, so it is not a part of an entry.
 */
export const PROGRAMS: readonly (readonly [folder: string, parts: readonly string[]])[] = [
  ["apps/console/", ["src/internal/", "src/core/", "src/inspection/recording/", "src/wires/webtools/client/"]],
  ["apps/create-toolwire/", ["src/internal/"]],
  ["apps/site/", ["src/entries/"]],
];
