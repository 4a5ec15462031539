/** Tools from a REST API: one for each operation of its OpenAPI document. */
import { asObject, type Members, OBJECT_MEMBERS } from "../../internal/json.ts";
import { toValidate } from "../../core/json_schema/check.ts";
import {
  compactDescription,
  compactSchema,
  LIST_SIZE_RULES,
  type ListSizeOptions,
} from "../../core/json_schema/compact.ts";
import { compileForeignCheck } from "../../core/json_schema/foreign.ts";
import type { JsonSchema, Schema, SchemaResult } from "../../core/schema/standard_schema.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { formatIssues } from "../../core/schema/issues.ts";
import { SCHEMA_ADAPTERS } from "../../core/schema/all_adapters.ts";
import { assertReferences } from "../../core/schema/references.ts";
import { startTool } from "../../core/tool/define_tool.ts";
import { CheckedBuilder } from "../../core/tool/definition_rules.ts";
import { checkOptions, FUNCTION, HEADERS, type OptionRules, rule, wholeNumber } from "../../internal/options.ts";
import { formatPath } from "../../internal/text.ts";
import type { Ctx } from "../../core/handler/context.ts";
import { SYSTEM_TOOLS } from "../../core/tool/system_tools.ts";
import { ACCESS_RULES, type AccessOptions } from "../../core/tool/access.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import { type ApiAccess, type FetchApi, openApiAccess, type OpenApiHeaders } from "./access.ts";
import { ImportError, OpenApiDocument, textOf } from "./document.ts";
import { hasDotSegment, jsonContent, layOutInput, writeRequest } from "./input.ts";
import { type OpenApiOperation, operationsOf, type ReadOperation } from "./operations.ts";
import { SchemaCollector } from "./schemas.ts";
import type { ToolAnnotations } from "../../core/handler/middleware.ts";

/** Options of {@link toolsFromOpenApi}. */
export interface OpenApiImportOptions extends ListSizeOptions, AccessOptions {
  /** Base URL of the API, to which paths are appended. Default: the first server of the operation or the document, which is then trusted. */
  readonly baseUrl?: string | URL | undefined;
  /**
   * Headers of every request, such as `authorization`, or a function that returns them for each call, with the principal that calls, the tool and
   * the signal. They are sent only to the origin of `baseUrl` (by default that of the document's first server), and arguments cannot override them.
   */
  readonly headers?: OpenApiHeaders | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: FetchApi | undefined;
  /** Selects the operations that become tools. Default: all. */
  readonly select?: ((operation: OpenApiOperation) => boolean) | undefined;
  /** Size limit of a response, in bytes. Default: 4 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Called with a sentence for each optional part of an operation that its tool leaves out, since it is neither JSON nor
   * text. Default: `console.warn`.
   */
  readonly onLeftOut?: ((problem: string) => void) | undefined;
}

const DEFAULT_RESPONSE_BYTES = 4_194_304;

const RULES: OptionRules<OpenApiImportOptions> = {
  baseUrl: rule("a URL", (url) => typeof url === "string" || url instanceof URL),
  headers: HEADERS,
  fetch: FUNCTION,
  select: FUNCTION,
  maxResponseBytes: wholeNumber(1),
  onLeftOut: FUNCTION,
  ...LIST_SIZE_RULES,
  ...ACCESS_RULES,
};

/**
 * Makes a tool of each operation of an OpenAPI 3.1 or 3.0 document. Nothing is requested until a tool is called.
 *
 * A tool is named by the `operationId`, or by method and path. Its arguments are the parameters and the body; it sends the request, and its
 * answer is the response as JSON or text. A status of 400 to 499 is a failure such as `not_found`. A status 429 is the error `rate_limited`;
 * 500 and above, and an API that cannot be reached, are `unavailable`. Redirects are not followed.
 *
 * @example One operation, called
 * ```ts
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { toolsFromOpenApi } from "jsr:@toolwire/toolwire/openapi";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const document = {
 *   openapi: "3.1.0",
 *   info: { title: "Pets", version: "1.0.0" },
 *   paths: {
 *     "/pets/{id}": {
 *       get: {
 *         operationId: "getPet",
 *         summary: "One pet",
 *         parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
 *         responses: { "200": { description: "It", content: { "application/json": { schema: { type: "object" } } } } },
 *       },
 *     },
 *   },
 * };
 * const tools = toolsFromOpenApi(document, {
 *   baseUrl: "https://pets.example/v1",
 *   fetch: (url) => Promise.resolve(Response.json({ url })),
 * });
 * const client = testClient(createServer({ tools }));
 * console.log(await client.getPet?.({ id: 7 })); // → { url: "https://pets.example/v1/pets/7" }
 * ```
 * @param document The document, parsed.
 * @throws {TypeError} If the document is not OpenAPI 3.1 or 3.0, has external references, or has an operation that needs more than JSON and
 * text, or whose path leaves the base URL, and is not left out by `select`; or an option is invalid.
 * @throws {RangeError} If a number is out of range.
 */
export function toolsFromOpenApi(document: unknown, options: OpenApiImportOptions = {}): AnyTool[] {
  checkOptions("import an API", options, RULES);
  const { select = () => true, maxResponseBytes = DEFAULT_RESPONSE_BYTES, onLeftOut = warn } = options;
  const read = new OpenApiDocument(document);
  const access = openApiAccess(read, { ...options, maxResponseBytes });
  const names = new ToolNames();
  const tools: AnyTool[] = [];
  const problems = new Set<ImportError>();
  for (const operation of operationsOf(read)) {
    const { method, path, operationId, tags } = operation;
    if (!select({ method, path, operationId, tags })) continue;
    try {
      tools.push(toTool(read, operation.read(), access, names.add(operation), onLeftOut, options));
    } catch (problem) {
      if (!(problem instanceof ImportError)) throw problem;
      problems.add(problem);
    }
  }
  assertNone([...problems]);
  return tools;
}

/** Maximum number of problems in one error. */
const MAX_TOLD = 20;

/** Throws one error that lists all problems. */
function assertNone(problems: readonly ImportError[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const told = problems.slice(0, MAX_TOLD).map(({ message }) => `\n- ${message}`);
  const rest = problems.length > MAX_TOLD ? `\n- and ${problems.length - MAX_TOLD} more` : "";
  throw new TypeError(`${problems.length} operations cannot be imported:${told.join("")}${rest}`, { cause: first });
}

function warn(problem: string): void {
  console.warn(problem);
}

function toTool(
  document: OpenApiDocument,
  operation: ReadOperation,
  access: ApiAccess,
  name: string,
  onLeftOut: (problem: string) => void,
  options: ListSizeOptions & AccessOptions,
): AnyTool {
  const { method, path, source } = operation;
  const where = `${method} ${path.slice(0, 128)}`;
  if (hasDotSegment(path)) {
    throw new ImportError(
      where,
      'its path contains a "." or ".." segment, which leaves the base URL; leave it out by select',
    );
  }
  const layout = layOutInput(
    document,
    operation,
    where,
    access.isGiven,
    new SchemaCollector(document, where),
    (what) => onLeftOut(`${where} is imported in part as the tool ${name}: ${what}`),
  );
  const base = access.baseOf(operation.servers, where);
  // A response to HEAD has no body, whatever the document declares.
  const output = method === "HEAD" ? undefined : outputOf(document, source, where);
  const about = [source["summary"], source["description"]].map(textOf).filter((text) => text !== undefined);
  const description = compactDescription([...new Set(about)].join("\n\n") || where, options);
  let described = startTool(name, { adapters: SCHEMA_ADAPTERS, checkSchema: assertReferences }, CheckedBuilder)
    .describe(description)
    .input(toSchema<Members>(compactSchema(layout.schema, options), boundedCheck(layout.schema))).annotate(
      annotationsOf(method),
    );
  const { visibleTo, scopes = [] } = options;
  if (visibleTo !== undefined) described = described.visibleTo(visibleTo);
  if (scopes.length > 0) described = described.scopes(...scopes);
  const run = async (args: Members, ctx: Pick<Ctx, "signal" | "log" | "principal">) => {
    try {
      const call = { tool: name, principal: ctx.principal, signal: ctx.signal };
      return await access.send(method, writeRequest(base, path, layout, args), where, output !== undefined, call);
    } catch (error) {
      const isUnreachable = error instanceof ToolError && error.cause !== undefined && !ctx.signal.aborted;
      // The cause is not visible in JSON, so a caller that receives log lines does not see it.
      if (isUnreachable) ctx.log("warn", "The API cannot be reached", { error });
      throw error;
    }
  };
  if (output === undefined) return described.handle(run);
  const validate = checkOf(output);
  if (options.outputSchemas === false) {
    return described.handle(async (args, ctx) => validated(await run(args, ctx), validate));
  }
  return described.output(toSchema<unknown>(compactSchema(output, options), validate)).handle(run);
}

/** Validates an answer whose schema is not listed. @throws {TypeError} If it does not fit; the caller sees no part of it. */
function validated(value: unknown, validate: Validate): unknown {
  const { issues } = validate(value);
  if (issues === undefined) return value;
  const [first] = formatIssues(issues, value);
  throw new TypeError(
    `The output does not fit the declared schema at "${formatPath(first?.path ?? [])}": ${first?.message}`,
  );
}

/** Names that tools cannot have. */
const RESERVED: ReadonlySet<string> = new Set([...OBJECT_MEMBERS, ...SYSTEM_TOOLS.map(({ name }) => name)]);

/** Maximum length of a tool's name. */
const MAX_NAME = 64;

/** Names of the tools of one document. */
class ToolNames {
  readonly #names = new Set<string>();
  /** The last number of each name that operations share: a search for a free one from the start would be quadratic. */
  readonly #counts = new Map<string, number>();

  /** Makes a unique name. */
  add({ operationId, method, path }: OpenApiOperation): string {
    const byPath = toName(`${method.toLowerCase()}_${path}`);
    const byId = toName(operationId ?? "");
    const base = (byId === "" || RESERVED.has(byId) ? byPath : byId).slice(0, MAX_NAME);
    let name = base;
    while (this.#names.has(name)) {
      const count = (this.#counts.get(base) ?? 1) + 1;
      this.#counts.set(base, count);
      name = `${base.slice(0, MAX_NAME - `_${count}`.length)}_${count}`;
    }
    this.#names.add(name);
    return name;
  }
}

function toName(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "").replace(/_{2,}/g, "_");
}

/** Annotations of an HTTP method. Source: RFC 9110, section 9.2. */
function annotationsOf(method: string): ToolAnnotations {
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") {
    return { readOnlyHint: true, idempotentHint: true };
  }
  if (method === "PUT") return { readOnlyHint: false, idempotentHint: true };
  if (method === "DELETE") return { readOnlyHint: false, idempotentHint: true, destructiveHint: true };
  return { readOnlyHint: false };
}

/** Schema of all successful responses; `undefined` if one of them may not be JSON. */
function outputOf(document: OpenApiDocument, source: Members, where: string): JsonSchema | undefined {
  const schemas = new SchemaCollector(document, where);
  const good = Object.entries(asObject(source["responses"])).filter(([status]) => /^2(?:\d\d|XX)$/i.test(status));
  const promised = good.map(([, node]) => jsonContent(document, document.object(node, where)["content"], where));
  const converted = promised.map((one) => one && schemas.convert(one.schema));
  const [first, ...others] = converted;
  if (first === undefined || others.includes(undefined)) return undefined;
  return schemas.withDefinitions(others.length === 0 ? first : { anyOf: converted });
}

/**
 * Limit on the values in the arguments of a call. Checking a value takes a microsecond or two, and a body of a megabyte has room for
 * half a million.
 */
const MAX_VALUES = 32_768;

const TOO_MANY: SchemaResult = {
  issues: [{ message: `More than ${MAX_VALUES} values are too many to be checked`, path: [] }],
};

type Validate = (value: unknown) => SchemaResult;

function checkOf(jsonSchema: JsonSchema): Validate {
  return toValidate(compileForeignCheck(jsonSchema));
}

function boundedCheck(jsonSchema: JsonSchema): Validate {
  const validate = checkOf(jsonSchema);
  return (value) => holdsMoreThan(value, MAX_VALUES) ? TOO_MANY : validate(value);
}

function toSchema<Value>(jsonSchema: JsonSchema, validate: Validate): Schema<Value> {
  const standard = { version: 1 as const, vendor: "openapi", validate, jsonSchema: { input: () => jsonSchema } };
  return { "~standard": standard };
}

/** Whether a value contains more than `limit` values, itself included. */
function holdsMoreThan(value: unknown, count: number): boolean {
  const waiting = [value];
  let found = 1;
  for (let at = 0; at < waiting.length; at++) {
    const next = waiting[at];
    if (typeof next !== "object" || next === null) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    found += members.length;
    // Counted before the members are visited: there may be half a million.
    if (found > count) return true;
    for (const member of members) if (typeof member === "object" && member !== null) waiting.push(member);
  }
  return false;
}
