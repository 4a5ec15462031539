/** A server's tools as MCP lists them, in each revision. */
import { hasOwnBase, mapParts } from "../../../core/json_schema/subschemas.ts";
import { isVisibleTo } from "../../../core/tool/access.ts";
import type { JsonSchema } from "../../../core/schema/standard_schema.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import { listMeta } from "../../../core/tool/listing.ts";
import { asObject, type Members, omitUndefined } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import { findHeaderParams, type HeaderParam } from "../protocol/header_values.ts";
import type { McpExchange } from "./exchange.ts";
import type { Revision } from "./revision.ts";

/** A tool, and what MCP's methods have to know of it. */
export interface McpTool {
  readonly definition: ToolDefinition;
  /** Arguments that HTTP headers of a call repeat. */
  readonly headerParams: readonly HeaderParam[];
  /** Whether a call may be deferred. */
  readonly mayPromise: boolean;
  /** Whether the declared output is not an object. Revisions that require objects get it wrapped in one. */
  readonly wrapsOutput: boolean;
}

/** Maximum number of references that lead from the root of an output schema to its type. */
const MAX_ROOT_REFS = 8;

const JSON_SCHEMA_VERSION = "https://json-schema.org/draft/2020-12/schema";

/** Finds the tools of a server by name, with what MCP needs of them. Reads them again when the tools of the server have changed. */
export class McpTools {
  readonly #host: Pick<WireHost, "definitions">;
  #definitions: readonly ToolDefinition[] = [];
  #byName: ReadonlyMap<string, McpTool> = new Map();

  /** @throws {TypeError} If a tool violates the rules of `x-mcp-header`. */
  constructor(host: Pick<WireHost, "definitions">) {
    this.#host = host;
    this.#read();
  }

  /** Whether a call of any tool may be deferred. */
  get canPromise(): boolean {
    return [...this.#read().values()].some(({ mayPromise }) => mayPromise);
  }

  get(name: string): McpTool | undefined {
    return this.#read().get(name);
  }

  /** The tool of that name, if the caller may see it: a hidden tool must not differ from an unknown one. */
  getFor(name: string, { principal, sessionId }: Pick<McpExchange, "principal" | "sessionId">): McpTool | undefined {
    const tool = this.#read().get(name);
    return tool !== undefined && isVisibleTo(tool.definition, principal, sessionId) ? tool : undefined;
  }

  /** All tools as `tools/list` of a revision has them, also those that some callers may not see. */
  list(revision: Revision): Members[] {
    return [...this.#read().values()].map((tool) => listMcpTool(tool, revision));
  }

  /** The current tools. Those of a server's parts can change. */
  #read(): ReadonlyMap<string, McpTool> {
    const { definitions } = this.#host;
    if (definitions !== this.#definitions) {
      this.#byName = new Map(definitions.map((definition) => [definition.name, compileTool(definition)]));
      this.#definitions = definitions;
    }
    return this.#byName;
  }
}

function compileTool(definition: ToolDefinition): McpTool {
  const { promise, external, remote, output } = definition;
  return {
    definition,
    headerParams: headerParamsOf(definition),
    mayPromise: promise !== undefined || external !== undefined || remote?.mayPromise === true,
    wrapsOutput: output !== undefined && !isObjectSchema(output.jsonSchema),
  };
}

/** Whether a schema is of an object, or its root refers to a definition of one, as schemas of OpenAPI documents do. */
function isObjectSchema({ $defs, ...root }: JsonSchema): boolean {
  let part: Members = root;
  for (let n = 0; part["type"] === undefined && typeof part["$ref"] === "string" && n < MAX_ROOT_REFS; n++) {
    part = asObject(asObject($defs)[part["$ref"].replace("#/$defs/", "")]);
  }
  return part["type"] === "object";
}

/** @throws {TypeError} If a mark is invalid: clients would ignore the tool. */
function headerParamsOf({ name, inputSchema }: ToolDefinition): readonly HeaderParam[] {
  const params = findHeaderParams(inputSchema);
  if (typeof params === "string") throw new TypeError(`Cannot serve tool "${name}" over MCP: ${params}`);
  return params;
}

/** A tool as a revision lists it. Members that are `undefined` are not part of its JSON. */
function listMcpTool({ definition, wrapsOutput }: McpTool, revision: Revision): Members {
  const { name, type, title, description, inputSchema, output, annotations, promise } = definition;
  const { isModern, structured, hasTitles, hasAudio } = revision;
  const isWrapped = wrapsOutput && !isModern;
  const outputSchema = output && withVersion(isModern ? output.jsonSchema : toObjectRoot(output.jsonSchema, isWrapped));
  // A client of 2025-11-25 requests a task for each call. Since 2026-07-28 the server decides.
  const taskSupport = promise === undefined ? undefined : promise.required ? "required" : "optional";
  return {
    name,
    title: hasTitles ? title : undefined,
    description,
    inputSchema: withVersion(inputSchema),
    outputSchema: structured === "none" ? undefined : outputSchema,
    annotations: hasAudio ? annotations : undefined,
    execution: revision.version === "2025-11-25" ? taskSupport && { taskSupport } : undefined,
    _meta: hasTitles
      ? listMeta(definition, { wrapsOutput: isWrapped && structured !== "none", ...omitUndefined({ type }) })
      : undefined,
  };
}

/** Adds `$schema` to a schema with `$defs`: the meaning of references depends on the version of JSON Schema. */
function withVersion(schema: JsonSchema): JsonSchema {
  return schema["$defs"] === undefined ? schema : { $schema: JSON_SCHEMA_VERSION, ...schema };
}

/** An output schema whose root has the type `object`, as revisions before 2026-07-28 require. */
function toObjectRoot(schema: JsonSchema, isWrapped: boolean): JsonSchema {
  return isWrapped ? wrap(schema) : { type: "object", ...schema };
}

/** Wraps an output schema as the property `result` of an object schema. `$defs` stay at the root, so that references resolve. */
function wrap(schema: JsonSchema): JsonSchema {
  const object = (result: JsonSchema) => ({ type: "object", properties: { result }, required: ["result"] });
  if (hasOwnBase(schema)) return object(schema);
  const { $defs, ...result } = rebase(schema);
  return { $defs, ...object(result) };
}

/** Rewrites references to the old root, which is now `#/properties/result`. References to `$defs` stay as they are. */
function rebase(schema: JsonSchema): JsonSchema {
  if (hasOwnBase(schema)) return schema;
  const { $ref } = schema;
  const isMoved = typeof $ref === "string" && /^#(\/(?!(\$|%24)defs\/)|$)/.test($ref);
  return mapParts(isMoved ? { ...schema, $ref: `#/properties/result${$ref.slice(1)}` } : schema, rebase);
}
