/** `createServer` of the front door: the core with promises, questions, caller state and MCP. */
import { CallContext } from "../../core/dispatch/call_context.ts";
import type { PromiseEngine } from "../../core/dispatch/deferral.ts";
import { withPromises } from "../../jobs/promises/with_promises.ts";
import { withQuestions } from "../../core/dispatch/questions/with_questions.ts";
import type { QuestionKeys } from "../../core/dispatch/services.ts";
import { keyRing } from "../../core/keys/key_ring.ts";
import { SCHEMA_ADAPTERS } from "../../core/schema/all_adapters.ts";
import { unknownArguments } from "../../core/schema/unknown_arguments.ts";
import type { TokenKeys } from "../../core/token/token.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import { assertOwnTools, refuseContextMembers, refuseServerMethods } from "../../core/tool/spelling_errors.ts";
import type { Engine } from "../../core/dispatch/engine.ts";
import { memoryEngine } from "../../jobs/engines/memory/memory_engine.ts";
import { isJsonObject } from "../../internal/json.ts";
import { mcp } from "../../wires/mcp/http/server/mcp.ts";
import { MCP_FEATURES } from "../../wires/mcp/server/features.ts";
import { memoryTransport } from "../../wires/memory/client/transport.ts";
import { mcpLite } from "../../wires/mcp_lite/server/mcp_lite.ts";
import { atBasePath } from "../base_path.ts";
import { originPolicy } from "../origin_policy.ts";
import { checkServerOptions } from "../option_rules.ts";
import type { CoreServerOptions } from "../options.ts";
import { createServerOf, type Server } from "../server.ts";
import type { AllTools, ServerOptions, ServerPart } from "../server_options.ts";

/**
 * Creates a server of tools: by default over MCP and MCP-lite, with promises by an engine in memory.
 *
 * @example One `fetch` function
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 *
 * const greet = defineTool("greet").describe("Greet someone").handle(({ name }) => `Hello, ${name}!`);
 * const server = createServer({ name: "greeter", version: "1.0.0", tools: [greet] });
 *
 * const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}',
 * }));
 * console.log(JSON.parse(await response.text()).result.content); // → Hello, Ada!
 * ```
 * @throws {TypeError} If an option is of the wrong type, two tools have the same name, a tool has a reserved name, a part has `auth` and the whole has none, or two wires share a path.
 * @throws {RangeError} If `timeoutMs`, `work.concurrency` or one of `limits` is not positive.
 */
export function createServer<
  const Tools extends readonly AnyTool[],
  const Parts extends readonly ServerPart[] = readonly [],
>(
  options: ServerOptions<Tools, Parts>,
): Server<AllTools<Tools, Parts>>;
export function createServer<
  const Tools extends readonly AnyTool[],
  const Parts extends readonly ServerPart[] = readonly [],
>(
  options: ServerOptions<Tools, Parts>,
  ...more: readonly unknown[]
): Server<AllTools<Tools, Parts>> {
  if (!isJsonObject(options)) throw new TypeError("Cannot create server: pass options, such as { tools: [add] }");
  if (more.length > 0) throw new TypeError(SECOND_ARGUMENT);
  assertOwnTools(options.tools, SCHEMA_ADAPTERS);
  const { keys, engine, clock, wires, basePath } = options;
  const coreOptions = {
    ...options,
    ...(basePath !== undefined && { basePath: atBasePath(basePath) }),
    ...(keys !== undefined && { keys: toQuestionKeys(keys) }),
    engine: toPromiseEngine(engine ?? memoryEngine(clock && { clock })),
    unknownArguments: unknownArguments(options.unknownArguments),
    wires: wires ?? [mcp(), mcpLite()],
  } as CoreServerOptions<Tools, Parts>;
  checkServerOptions(coreOptions);
  const server = createServerOf<Tools, Parts>({ ...coreOptions, originPolicy: originPolicy(options) }, {
    mcp: MCP_FEATURES,
  });
  refuseServerMethods(server, SCHEMA_ADAPTERS);
  // Not at the top of the module: bundles of the package would have the code of servers for every other name of the front door.
  refuseContextMembers(CallContext.prototype);
  return Object.assign(server, { "~transport": () => memoryTransport(server) });
}

const SECOND_ARGUMENT =
  "Cannot create server: all options are in one object. Write: createServer({ name, version, instructions, " +
  "tools: [ … ] }); capabilities are found out";

/** Values of the wrong type are passed on to the checks of the core. */
function toPromiseEngine(engine: Engine): PromiseEngine {
  const isBare = typeof engine?.insert === "function" && !("~deferral" in engine);
  return isBare ? withPromises(engine) : engine as PromiseEngine;
}

/** @throws {TypeError} If the keys are of the wrong type or cannot be used. The message never holds a secret. */
function toQuestionKeys(keys: string | readonly string[] | TokenKeys): QuestionKeys {
  if (typeof keys === "string" || Array.isArray(keys)) return keyRing(keys);
  const ring = keys as (TokenKeys & Partial<QuestionKeys>) | null;
  if (typeof ring?.sign === "function" && typeof ring.verify === "function") {
    return ring["~questions"] === undefined ? withQuestions(ring) : ring as QuestionKeys;
  }
  throw new TypeError(
    'Cannot create server: keys are text, such as "k1:…", several of them, keysFromEnv() or sealed(…)',
  );
}
