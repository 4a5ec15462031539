/** The methods that a server adds to those of MCP: their names, their schemas, and their requests, which dispatch runs as it runs tools. */
import type { CallMeta } from "../../../core/call/call.ts";
import type { AnswerOutcome, FailureOutcome } from "../../../core/call/outcome.ts";
import type { ContentCtx } from "../../../core/handler/context.ts";
import { SCHEMA_ADAPTERS } from "../../../core/schema/all_adapters.ts";
import { type CompiledSchema, compileSchema } from "../../../core/schema/compile.ts";
import { assertReferences } from "../../../core/schema/references.ts";
import type { AnySchema } from "../../../core/schema/plain_schema.ts";
import { unknownArguments } from "../../../core/schema/unknown_arguments.ts";
import { addScopes } from "../../../core/tool/access.ts";
import { EMPTY_DEFINITION, type ToolDefinition } from "../../../core/tool/definition.ts";
import { chain } from "../../../internal/future.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import {
  ANYTHING,
  checkOptions,
  FUNCTION,
  type OptionRules,
  POSITIVE,
  required,
  rule,
} from "../../../internal/options.ts";
import { errorData, outcomeMeta } from "../../framing/result/encode.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { WireHost } from "../../wire.ts";
import type { McpMethod, McpMethods } from "./custom_method_types.ts";
import { type ContentRequest, sinkOf } from "./content_request.ts";
import {
  errorResponse,
  type FinalResult,
  protocolError,
  protocolErrorResponse,
  resultResponse,
  type RetryableRequest,
  type RpcResponse,
} from "./response.ts";
import type { Revision } from "./revision.ts";

/** First parts of the names that belong to MCP, its extensions (`ui` to MCP Apps) and JSON-RPC. */
const RESERVED: ReadonlySet<string> = new Set([
  "completion",
  "elicitation",
  "initialize",
  "io.modelcontextprotocol",
  "logging",
  "mcp",
  "modelcontextprotocol",
  "notifications",
  "ping",
  "prompts",
  "resources",
  "roots",
  "rpc",
  "sampling",
  "server",
  "skills",
  "subscriptions",
  "tasks",
  "tools",
  "ui",
]);

/** Members of parameters that belong to MCP: `_meta`, and since 2026-07-28 the answers to questions. A schema cannot have them. */
const OWN_MEMBERS: readonly string[] = ["_meta", "requestState", "inputResponses"];

/** JSON-RPC number of a failure without its own: MCP leaves -32000 to implementations. */
const FAILURE = -32_000;

const RULES: OptionRules<McpMethod> = {
  params: ANYTHING,
  result: ANYTHING,
  scopes: ANYTHING,
  timeoutMs: POSITIVE,
  errors: rule(
    "an object of whole numbers by code, none of them a number of JSON-RPC or MCP, such as { locked: 4001 }",
    (value) => {
      return isJsonObject(value) &&
        Object.values(value).every((one) => Number.isInteger(one) && !isReservedNumber(one as number));
    },
  ),
  handle: required(FUNCTION),
};

/**
 * Whether JSON-RPC or MCP defines a number, or may do so: -32768 to -32020, and two that clients of older revisions read as a time limit
 * and a missing resource. JSON-RPC leaves the rest of -32019 to -32000 to servers.
 */
function isReservedNumber(number: number): boolean {
  return (number >= -32_768 && number <= -32_020) || number === -32_001 || number === -32_002;
}

/** A method of the option `methods`, as a definition that dispatch runs, with the numbers of its errors. */
interface ServedMethod {
  readonly definition: ToolDefinition;
  readonly errors: Readonly<Record<string, number>>;
}

/** Serves the methods that a server adds to those of MCP. */
export class CustomMethods {
  /** The methods, as the capability `experimental` declares them. */
  readonly declared: Members;
  readonly #host: WireHost;
  readonly #methods: ReadonlyMap<string, ServedMethod>;

  /** @throws {TypeError} If a name is reserved or invalid, or a method or one of its schemas is invalid. */
  constructor(host: WireHost, methods: McpMethods) {
    const entries = Object.entries(methods);
    const guard = unknownArguments("refuse")["~guard"](undefined);
    this.#host = host;
    this.#methods = new Map(entries.map(([name, method]) => {
      assertName(name);
      checkOptions(`create server: the ${labelOf(name)} of mcp({ methods })`, method, RULES);
      return [name, { definition: guard(toDefinition(name, method)), errors: method.errors ?? {} }];
    }));
    this.declared = Object.fromEntries(entries.map(([name]) => [name, {}]));
  }

  has(name: string): boolean {
    return this.#methods.has(name);
  }

  /** Prepares a request for one of the methods, so that it can run, and run again with answers to its questions. */
  prepare(content: ContentRequest): RetryableRequest {
    const { request: { id, method, params }, peer, revision } = content;
    const { definition, errors } = this.#methods.get(method) as ServedMethod;
    const args = argumentsOf(params, revision);
    return {
      run: (meta) => {
        return this.#host.dispatch.run(definition, {
          tool: definition.name,
          args,
          meta: meta && withoutJobs(meta),
          peer,
        }, sinkOf(content));
      },
      encode: (result) => this.#encode(id, method, revision, errors, result),
    };
  }

  #encode(
    id: RequestId,
    method: string,
    revision: Revision,
    errors: ServedMethod["errors"],
    result: FinalResult,
  ): RpcResponse {
    if (result.kind === "error") return errorResponse(id, result);
    if (result.kind === "failure") return failureResponse(id, errors, result);
    try {
      const answer = result as AnswerOutcome;
      return resultResponse(id, revision.result(encodeMembers(answer.value), outcomeMeta(answer)));
    } catch (thrown) {
      return errorResponse(id, this.#host.dispatch.mask(thrown, { method }));
    }
  }
}

/** @throws {TypeError} If a member `toJSON` makes anything but an object of it. */
function encodeMembers(value: unknown): string {
  const json = JSON.stringify(value) ?? "";
  if (json.startsWith("{")) return json.slice(1, -1);
  throw new TypeError("The result of a method has a toJSON() that does not return an object");
}

/** The parameters for the handler. Before 2026-07-28 MCP has no member beside `_meta`, and a method may have the others. */
function argumentsOf({ _meta, ...params }: Members, { isModern }: Revision): Members {
  if (!isModern) return params;
  const { requestState: _state, inputResponses: _responses, ...args } = params;
  return args;
}

function failureResponse(
  id: RequestId,
  errors: ServedMethod["errors"],
  { code, message, data }: FailureOutcome,
): RpcResponse {
  const number = Object.hasOwn(errors, code) ? errors[code] as number : FAILURE;
  return protocolErrorResponse(id, protocolError(number, message, errorData({ code, data }), 200));
}

/** Methods have no jobs, so members that would create one are removed. */
function withoutJobs({ idempotencyKey: _key, isPromiseWanted: _promise, ...meta }: CallMeta): CallMeta {
  return meta;
}

function assertName(name: string): void {
  const fail = (problem: string): never => {
    throw new TypeError(
      `Cannot create server: mcp({ methods }) cannot have ${
        JSON.stringify(name)
      }: ${problem}; use a prefix, as in "acme/stats"`,
    );
  };
  const [first = "", rest] = name.split(/[/.]/, 2);
  // Sent in a header, too.
  if (!/^[\x21-\x7e]{1,128}$/.test(name)) fail("a name is 1 to 128 characters of ASCII, without spaces");
  // Names are compared with their case by most programs, and without it by some.
  const owner = first.toLowerCase();
  const isReserved = RESERVED.has(owner) || /^\w+\.(mcp|modelcontextprotocol)[./]/i.test(name);
  if (isReserved) fail(`this name belongs to ${owner === "rpc" ? "JSON-RPC" : "MCP"}`);
  if (first === "" || !rest) fail("a name without a prefix may become one of MCP");
}

function labelOf(name: string): string {
  return `method "${name}"`;
}

/** The definition of a method as dispatch runs it, under a name that no tool can have. @throws {TypeError} If the method is invalid. */
function toDefinition(name: string, method: McpMethod): ToolDefinition {
  const label = labelOf(name);
  const { params, result, scopes = [], timeoutMs } = method;
  const input = params && compile(params, `The schema of the parameters of ${label}`);
  assertMembers(input?.jsonSchema, label);
  return {
    ...EMPTY_DEFINITION,
    name: `method:${name}`,
    description: "",
    adapters: SCHEMA_ADAPTERS,
    input,
    inputSchema: input?.jsonSchema ?? EMPTY_DEFINITION.inputSchema,
    output: result && compile(result, `The schema of the result of ${label}`),
    scopes: scopes.length === 0 ? scopes : addScopes([], scopes, label),
    timeoutMs,
    handler: (args, ctx) =>
      chain(method.handle(args as never, ctx as ContentCtx), (value) => toResult(value, name, ctx)),
  };
}

/** @throws {TypeError} If the parameters have a member that MCP takes before the handler sees it. */
function assertMembers(schema: CompiledSchema["jsonSchema"] | undefined, label: string): void {
  const own = OWN_MEMBERS.find((member) => Object.hasOwn(asObject(schema?.["properties"]), member));
  if (own === undefined) return;
  throw new TypeError(
    `Cannot create server: the parameters of ${label} cannot have "${own}", which belongs to MCP; use another name`,
  );
}

function compile(schema: AnySchema, where: string): CompiledSchema {
  return compileSchema(schema, { where, isObject: true, adapters: SCHEMA_ADAPTERS, check: assertReferences });
}

/** Checks what a handler has returned. Nothing becomes an empty object. @throws {TypeError} If it cannot be a result of MCP. */
function toResult(returned: unknown, name: string, ctx: Pick<ContentCtx, "meta">): Members {
  if (returned === undefined) return {};
  const value = asPlain(returned);
  if (!isJsonObject(value) || "resultType" in value) {
    throw new TypeError(`The handler of method "${name}" has to return an object, without resultType, which is MCP's`);
  }
  const { _meta: meta, ...members } = value;
  if (isJsonObject(meta)) ctx.meta(meta);
  return members;
}

/** Records of database libraries have their members in `toJSON()` alone, which is asked before members are copied. */
function asPlain(value: unknown): unknown {
  const { toJSON } = Object(value) as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, "") : value;
}
