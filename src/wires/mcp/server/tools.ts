/**
 * A server's tools as MCP lists them: written once for each revision, in pages.
 *
 * @module
 */
import { hasOwnBase, mapParts } from "../../../core/json_schema/subschemas.ts";
import type { JsonSchema } from "../../../core/schema/standard_schema.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import { findHeaderParams, type HeaderParam } from "../protocol/header_values.ts";
import type { Dialect } from "./revision.ts";
import type { WireHost } from "../../wire.ts";
import type { Members } from "../../../internal/json.ts";

/** One tool. */
export interface McpTool {
  /** Its definition. */
  readonly plan: ToolDefinition;
  /** Its arguments that are repeated in headers. */
  readonly headerParams: readonly HeaderParam[];
  /** Whether its answer may come later than the call. */
  readonly mayPromise: boolean;
  /** Whether it declares an output that is not an object: revisions that want objects get it wrapped. */
  readonly wrapsOutput: boolean;
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** A server's tools. */
export class McpTools {
  readonly #host: Pick<WireHost, "definitions">;
  #plans: readonly ToolDefinition[] = [];
  #byName: ReadonlyMap<string, McpTool> = new Map();

  /** @throws {TypeError} If a tool breaks the rules of `x-mcp-header`. */
  constructor(host: Pick<WireHost, "definitions">) {
    this.#host = host;
    this.#read();
  }

  /** Whether some tool can promise its answer. */
  get canPromise(): boolean {
    return [...this.#read().values()].some(({ mayPromise }) => mayPromise);
  }

  /** The tool of that name. */
  get(name: string): McpTool | undefined {
    return this.#read().get(name);
  }

  /** All tools as a revision lists them. */
  list(dialect: Dialect): Members[] {
    return [...this.#read().values()].map((tool) => listTool(tool, dialect));
  }

  /** The tools as they are now; those of a part may be others than they were. */
  #read(): ReadonlyMap<string, McpTool> {
    const { definitions: plans } = this.#host;
    if (plans !== this.#plans) {
      this.#byName = new Map(plans.map((plan) => [plan.name, compileTool(plan)]));
      this.#plans = plans;
    }
    return this.#byName;
  }
}

function compileTool(plan: ToolDefinition): McpTool {
  return {
    plan,
    headerParams: headerParamsOf(plan),
    mayPromise: plan.promise !== undefined || plan.external !== undefined || plan.remote?.mayPromise === true,
    wrapsOutput: plan.output !== undefined && plan.output.jsonSchema["type"] !== "object",
  };
}

/** @throws {TypeError} If a mark is invalid: clients would ignore the tool. */
function headerParamsOf({ name, inputSchema }: ToolDefinition): readonly HeaderParam[] {
  const params = findHeaderParams(inputSchema);
  if (typeof params === "string") throw new TypeError(`Cannot serve tool "${name}" over MCP: ${params}`);
  return params;
}

function listTool(tool: McpTool, dialect: Dialect): Members {
  const { plan: { name, title, description, inputSchema, output, annotations, meta, promise }, wrapsOutput } = tool;
  const { isModern, structured, hasTitles, hasSound } = dialect;
  const outputSchema = output && withDialect(isModern || !wrapsOutput ? output.jsonSchema : wrap(output.jsonSchema));
  // A call of 2025-11-25 asks for a task by itself; of 2026-07-28 the server decides.
  const taskSupport = promise === undefined ? undefined : promise.required ? "required" : "optional";
  return {
    name,
    ...(hasTitles && title !== undefined && { title }),
    description,
    inputSchema: withDialect(inputSchema),
    ...(outputSchema !== undefined && structured !== "none" && { outputSchema }),
    ...(hasSound && annotations !== undefined && { annotations }),
    ...(dialect.version === "2025-11-25" && taskSupport !== undefined && { execution: { taskSupport } }),
    ...(hasTitles && meta !== undefined && { _meta: meta }),
  };
}

/** References mean what they should only to those who know which JSON Schema it is. */
function withDialect(schema: JsonSchema): JsonSchema {
  return schema["$defs"] === undefined ? schema : { $schema: DIALECT, ...schema };
}

/** The schema of the output as the member `result` of an object; references go from its root on. */
function wrap(schema: JsonSchema): JsonSchema {
  const object = (result: JsonSchema) => ({ type: "object", properties: { result }, required: ["result"] });
  if (hasOwnBase(schema)) return object(schema);
  const { $defs, ...result } = rebase(schema);
  return { ...($defs !== undefined && { $defs }), ...object(result) };
}

/** `#` is the output itself, which is not the root any more; `$defs` stay there. */
function rebase(schema: JsonSchema): JsonSchema {
  if (hasOwnBase(schema)) return schema;
  const { $ref } = schema;
  const isMoved = typeof $ref === "string" && /^#(\/(?!(\$|%24)defs\/)|$)/.test($ref);
  return mapParts(isMoved ? { ...schema, $ref: `#/properties/result${$ref.slice(1)}` } : schema, rebase);
}
