/**
 * Describes the paths of the REST wire for an OpenAPI 3.1 document: typed arguments, answers and failures of each tool.
 *
 * @module
 */
import {
  componentRef,
  embedPart,
  inputComponent,
  outputComponent,
  toolComponents,
} from "../../../core/json_schema/components.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import type { ToolListing } from "../../../core/tool/listing.ts";
import { canPromise } from "../../../core/tool/registry.ts";
import { asObject, isJsonObject } from "../../../internal/json.ts";
import type { AuthDescription, OpenApiParts, WireHost } from "../../wire.ts";
import { PROBLEM_TYPE } from "../messages/problem.ts";
import {
  AUTH_STATUSES,
  componentOf,
  contentOf,
  ERROR_STATUSES,
  failureComponent,
  failureSchemas,
  type Node,
  PARAMETERS,
  PROMISE_STATUSES,
  RESPONSES,
  SCHEMAS,
  TEXT_SCHEMA,
} from "./openapi_components.ts";
import { typesOf } from "./schema_types.ts";

/** Describes the paths of these tools, which a caller may see, and that of their list. System tools are left out. */
export function describePaths(
  { definitions, security }: WireHost,
  toolsPath: string,
  tools: readonly ToolListing[],
): OpenApiParts {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const operations = new Operations(security);
  const described = tools.flatMap((tool): [ToolListing, ToolDefinition][] => {
    const definition = byName.get(tool.name);
    return definition === undefined || definition.isSystem ? [] : [[tool, definition]];
  });
  const paths = described.flatMap(([tool, definition]) => pathsOf(operations, toolsPath, tool, definition));
  const schemas = described.flatMap(([tool, definition]) => [...toolComponents(tool), ...failureSchemas(definition)]);
  return {
    paths: { [toolsPath]: { get: operations.list() }, ...Object.fromEntries(paths) },
    components: {
      schemas: { ...SCHEMAS, ...Object.fromEntries(schemas) },
      responses: RESPONSES,
      parameters: PARAMETERS,
      ...(security?.schemes && { securitySchemes: security.schemes }),
    },
  };
}

function pathsOf(
  operations: Operations,
  toolsPath: string,
  tool: ToolListing,
  definition: ToolDefinition,
): [string, Node][] {
  const path = `${toolsPath}/${encodeURIComponent(tool.name)}`;
  const isReadOnly = definition.annotations?.readOnlyHint === true;
  const call = {
    post: operations.call(tool, definition),
    ...(isReadOnly && { get: operations.query(tool, definition) }),
  };
  if (!canPromise(definition)) return [[path, call]];
  const promise = {
    parameters: [componentOf("parameters", "Token")],
    get: operations.redeem(tool, definition),
    delete: operations.cancel(tool, definition),
  };
  return [[path, call], [`${path}/promises/{token}`, promise]];
}

/** Makes operations, whose ids are unique. */
class Operations {
  readonly #security: AuthDescription | undefined;
  readonly #ids = new Set<string>();

  constructor(security: AuthDescription | undefined) {
    this.#security = security;
  }

  list(): Node {
    const responses = {
      200: { description: "The tools", content: contentOf(componentRef("ToolList")) },
      ...this.#errors([500]),
    };
    return { operationId: this.#id("list_tools"), summary: "List the tools", tags: ["tools"], responses };
  }

  call(tool: ToolListing, definition: ToolDefinition): Node {
    const { required } = tool.inputSchema;
    const isRequired = Array.isArray(required) && required.length > 0;
    return {
      ...this.#operation(tool, definition, ""),
      parameters: callHeaders(definition, ["IdempotencyKey", "Deadline"]),
      requestBody: { required: isRequired, content: contentOf(componentRef(inputComponent(tool.name))) },
      responses: this.#responses(tool, definition, ERROR_STATUSES),
    };
  }

  query(tool: ToolListing, definition: ToolDefinition): Node {
    return {
      ...this.#operation(tool, definition, "_by_query"),
      parameters: [...queryParameters(tool), ...callHeaders(definition, ["Deadline"])],
      responses: this.#responses(tool, definition, ERROR_STATUSES),
    };
  }

  redeem(tool: ToolListing, definition: ToolDefinition): Node {
    return {
      ...this.#operation(tool, definition, "_result"),
      summary: `Get the promised answer of ${tool.name}`,
      parameters: [componentOf("parameters", "Prefer")],
      responses: this.#responses(tool, definition, PROMISE_STATUSES),
    };
  }

  cancel(tool: ToolListing, definition: ToolDefinition): Node {
    return {
      ...this.#operation(tool, definition, "_cancel"),
      summary: `Cancel the promised work of ${tool.name}`,
      responses: {
        200: { description: "Whether it was cancelled", content: contentOf(componentRef("Cancellation")) },
        422: {
          description: "The work cannot be cancelled",
          content: contentOf(componentRef("ServerFailure"), PROBLEM_TYPE),
        },
        ...this.#errors(PROMISE_STATUSES),
      },
    };
  }

  #operation({ name, title, description }: ToolListing, { scopes }: ToolDefinition, suffix: string): Node {
    return {
      operationId: this.#id(name + suffix),
      summary: title ?? name,
      description,
      tags: ["tools"],
      ...this.#requirements(scopes),
    };
  }

  /** The schemes that a caller needs one of; nothing if the server does not describe them. */
  #requirements(scopes: readonly string[]): Node {
    if (this.#security?.schemes === undefined) return {};
    const known = Object.keys(this.#security.schemes).map((name) => ({ [name]: scopes }));
    return { security: this.#security.allowsAnonymous && scopes.length === 0 ? [{}, ...known] : known };
  }

  #responses(tool: ToolListing, definition: ToolDefinition, statuses: readonly number[]): Node {
    return {
      200: { description: "The answer", content: answerContent(tool) },
      ...(tool.outputSchema === undefined && { 204: { description: "The tool returned nothing" } }),
      ...(canPromise(definition) && { 202: componentOf("responses", "Promised") }),
      422: {
        description: "The tool declined the call, or asks a question",
        content: contentOf({ anyOf: failuresOf(definition) }, PROBLEM_TYPE),
      },
      ...this.#errors(statuses),
    };
  }

  #errors(statuses: readonly number[]): Node {
    const all = [...statuses, ...(this.#security === undefined ? [] : AUTH_STATUSES)];
    const errors = all.map((status) => [status, componentOf("responses", `Error${status}`)] as const);
    return Object.fromEntries(errors);
  }

  #id(wanted: string): string {
    let id = wanted;
    for (let count = 2; this.#ids.has(id); count++) id = `${wanted}_${count}`;
    this.#ids.add(id);
    return id;
  }
}

/**
 * The answer as JSON, and as it is: text, or, where any answer is possible, a file of any type. A stream is left out: generated
 * clients would take the answer for a text that may be JSON.
 */
function answerContent({ name, outputSchema }: ToolListing): Node {
  if (outputSchema === undefined) return { ...contentOf({}), "*/*": {} };
  const json = contentOf(componentRef(outputComponent(name)));
  if (outputSchema["type"] !== "string") return json;
  return { ...json, ...contentOf(TEXT_SCHEMA, "text/plain"), ...contentOf(TEXT_SCHEMA, "text/csv") };
}

/** The failures of a tool: those that it declares and those of the server, or any, and a question. */
function failuresOf({ name, errors }: ToolDefinition): readonly Node[] {
  const declared = [...errors.keys()].map((code) => componentRef(failureComponent(name, code)));
  const known = declared.length === 0 ? [componentRef("Failure")] : [...declared, componentRef("ServerFailure")];
  return [...known, componentRef("Question")];
}

function callHeaders(definition: ToolDefinition, names: readonly string[]): readonly Node[] {
  return [...names, ...(canPromise(definition) ? ["Prefer"] : [])].map((name) => componentOf("parameters", name));
}

/** The arguments as parameters of a query: arrays by repetition, objects as JSON text. */
function queryParameters({ name: tool, inputSchema }: ToolListing): readonly Node[] {
  const properties = asObject(inputSchema["properties"]);
  const required: unknown = inputSchema["required"];
  return Object.entries(properties).map(([name, schema]) => {
    const embedded = isJsonObject(schema) ? embedPart(schema, inputComponent(tool), inputSchema) : {};
    const types = typesOf({ schema, root: inputSchema });
    const { description } = asObject(schema);
    return {
      name,
      in: "query",
      required: Array.isArray(required) && required.includes(name),
      ...(typeof description === "string" && { description }),
      ...(types.size === 1 && types.has("object") ? { content: contentOf(embedded) } : { schema: embedded }),
    };
  });
}
