/** The flat arguments of a tool, the part of the request that each one sets, and the request itself. */
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import type { JsonSchema } from "../../core/schema/standard_schema.ts";
import { ImportError, type OpenApiDocument } from "./document.ts";
import type { ReadOperation } from "./operations.ts";
import { headerText, type Parameter, pathText, queryParts, readParameter } from "./parameters.ts";
import type { SchemaCollector } from "./schemas.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { shorten } from "../../internal/text.ts";

/** The request body, made from arguments. */
interface BodyLayout {
  readonly mediaType: string;
  /** Whether the body is sent as plain text instead of JSON. */
  readonly isText: boolean;
  readonly isRequired: boolean;
  /** Members of the body, each an argument; `undefined` if the argument `body` is the whole body. */
  readonly members: ReadonlySet<string> | undefined;
}

/** Mapping of arguments to a request. */
interface InputLayout {
  readonly schema: JsonSchema;
  /** Parameters, by the names of their arguments. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The body; `undefined` if none is sent. */
  readonly body: BodyLayout | undefined;
}

/** Name of the argument for a whole body. */
const BODY = "body";

/** Media types of text. */
const TEXT_TYPE = /^text\/[\w.!#$&^+-]+\s*(?:;|$)/i;

/**
 * Maps an operation's parameters and body to the arguments of its tool.
 *
 * @param isGiven Whether a header of that name is sent with every request.
 * @param leaveOut Called for each optional part that has no argument.
 * @throws {ImportError} If the operation needs more than JSON and text.
 */
export function layOutInput(
  document: OpenApiDocument,
  operation: ReadOperation,
  where: string,
  isGiven: (header: string) => boolean,
  schemas: SchemaCollector,
  leaveOut: (what: string) => void,
): InputLayout {
  const parameters = new Map<string, Parameter>();
  for (const source of operation.parameters) {
    const parameter = readParameter(source, schemas, where, leaveOut);
    if (parameter === undefined || (parameter.place === "header" && isGiven(parameter.name))) continue;
    const name = parameters.has(parameter.name) ? `${parameter.place}_${parameter.name}` : parameter.name;
    if (parameters.has(name)) throw new ImportError(where, `two parameters are called ${name}`);
    parameters.set(name, parameter);
  }
  assertPath(operation.path, parameters, where);
  const properties = new Map([...parameters].map(([name, { schema }]) => [name, schema]));
  const required = [...parameters].filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const body = layOutBody(document, operation, where, schemas, properties, required, leaveOut);
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { schema: schemas.withDefinitions(schema), parameters, body };
}

/** Refuses a path with an undeclared parameter, a query or a fragment. */
function assertPath(path: string, parameters: ReadonlyMap<string, Parameter>, where: string): void {
  const declared = new Set([...parameters.values()].filter(({ place }) => place === "path").map(({ name }) => name));
  for (const [, name = ""] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (!declared.has(name)) throw new ImportError(where, `path parameter ${name} is not declared`);
  }
  if (/[?#]/.test(path)) throw new ImportError(where, "a path has neither query nor fragment");
}

function layOutBody(
  document: OpenApiDocument,
  { source }: ReadOperation,
  where: string,
  schemas: SchemaCollector,
  properties: Map<string, JsonSchema>,
  required: string[],
  leaveOut: (what: string) => void,
): BodyLayout | undefined {
  if (source["requestBody"] === undefined) return undefined;
  const request = document.object(source["requestBody"], `the body of ${where}`);
  const isRequired = request["required"] === true;
  const whole = (schema: JsonSchema, mediaType: string, isText: boolean): BodyLayout => {
    if (properties.has(BODY)) {
      throw new ImportError(where, "a parameter is called body, beside the body");
    }
    properties.set(BODY, schema);
    if (isRequired) required.push(BODY);
    return { mediaType, isText, isRequired, members: undefined };
  };
  const json = jsonContent(document, request["content"], where);
  if (json === undefined) {
    const types = Object.keys(asObject(request["content"]));
    const text = types.find((type) => TEXT_TYPE.test(type));
    if (text !== undefined) return whole({ type: "string" }, text, true);
    const told = types.map((type) => type.slice(0, 64)).join(", ");
    const problem = `its body is neither JSON nor text, but ${told || "of no type"}`;
    if (isRequired) throw new ImportError(where, `${problem}; leave it out by select`);
    leaveOut(problem);
    return undefined;
  }
  const { mediaType } = json;
  const flat = flatMembers(document, json.schema, where, isRequired);
  if (flat !== undefined && !Object.keys(flat.properties).some((name) => properties.has(name))) {
    for (const [name, schema] of Object.entries(flat.properties)) properties.set(name, schemas.convert(schema));
    required.push(...flat.required);
    return { mediaType, isText: false, isRequired, members: new Set(Object.keys(flat.properties)) };
  }
  return whole(schemas.convert(json.schema), mediaType, false);
}

/** The JSON entry of a media type map, or that of all types, which is then sent as JSON; `undefined` if it has neither. */
export function jsonContent(
  document: OpenApiDocument,
  content: unknown,
  where: string,
): { readonly mediaType: string; readonly schema: unknown } | undefined {
  const entries = Object.entries(asObject(content));
  const found = entries.find(([type]) => isJsonType(type)) ?? entries.find(([type]) => type === "*/*");
  if (found === undefined) return undefined;
  const [type, media] = found;
  return {
    mediaType: type === "*/*" ? "application/json" : type,
    schema: document.object(media, where)["schema"] ?? {},
  };
}

/** Whether a media type is `application/json` or ends in `+json`. */
export function isJsonType(type: string): boolean {
  return /^(?:application\/json|[\w.!#$&^-]+\/[\w.!#$&^-]+\+json)\s*(?:;|$)/i.test(type.trim());
}

/** Keywords of a schema whose members can be flattened beside parameters. */
const FLAT_KEYWORDS: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "title",
  "description",
  "example",
  "examples",
  "externalDocs",
  "xml",
]);

function flatMembers(
  document: OpenApiDocument,
  node: unknown,
  where: string,
  isBodyRequired: boolean,
): { readonly properties: Members; readonly required: readonly string[] } | undefined {
  if (typeof node === "boolean") return undefined;
  const isSibling = isJsonObject(node) && node["$ref"] !== undefined && Object.keys(node).length > 1;
  const schema = document.object(node, where);
  const { type, properties, required = [], additionalProperties = false } = schema;
  const isFlat = !isSibling && type === "object" && isJsonObject(properties) && additionalProperties === false &&
    Object.keys(schema).every((keyword) => FLAT_KEYWORDS.has(keyword) || keyword.startsWith("x-"));
  if (!isFlat || !Array.isArray(required)) return undefined;
  const names = required.filter((name) => typeof name === "string");
  // Required members of an optional body cannot be expressed by flat arguments.
  if (names.length > 0 && !isBodyRequired) return undefined;
  return names.every((name) => Object.hasOwn(properties, name)) ? { properties, required: names } : undefined;
}

/** A request of an operation, without the headers that all requests to the API have. */
export interface ApiRequest {
  readonly url: string;
  readonly headers: Headers;
  /** JSON or plain text; `null` without a body. */
  readonly body: string | null;
}

/**
 * Serializes arguments as a request: path, query, headers and body of the operation.
 *
 * @throws {ToolError} `invalid_input`, if a value cannot be serialized at its location.
 */
export function writeRequest(base: string, path: string, { parameters, body }: InputLayout, args: Members): ApiRequest {
  const given = [...parameters].filter(([name]) => Object.hasOwn(args, name) && args[name] !== undefined);
  const at = (place: Parameter["place"]) => given.filter(([, parameter]) => parameter.place === place);
  const query = at("query").flatMap(([name, parameter]) => queryParts(parameter, args[name]));
  const headers = new Headers();
  for (const [name, parameter] of at("header")) headers.set(parameter.name, headerText(parameter, args[name]));
  const payload = body && payloadOf(body, args);
  if (body !== undefined && payload !== undefined) headers.set("content-type", body.mediaType);
  const filled = fillPath(
    path,
    new Map(at("path").map(([name, parameter]) => [parameter.name, [parameter, args[name]]])),
  );
  const url = `${base}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  return {
    url,
    headers,
    body: payload === undefined ? null : body?.isText ? String(payload) : JSON.stringify(payload),
  };
}

function payloadOf({ members, isRequired }: NonNullable<InputLayout["body"]>, args: Members): unknown {
  if (members === undefined) return Object.hasOwn(args, "body") ? args["body"] : undefined;
  const given = Object.entries(args).filter(([name]) => members.has(name));
  return given.length > 0 || isRequired ? Object.fromEntries(given) : undefined;
}

/** Fills in a path. Refuses values that would change it: an empty segment, or a dot segment in any encoding. */
function fillPath(path: string, values: ReadonlyMap<string, readonly [Parameter, unknown]>): string {
  return path.split("/").map((segment) => {
    const names: string[] = [];
    const filled = segment.replaceAll(/\{([^{}]+)\}/g, (template, name: string) => {
      const found = values.get(name);
      if (found === undefined) return template;
      names.push(name);
      return pathText(...found);
    });
    if (names.length > 0 && (filled === "" || hasDotSegment(filled))) {
      throw new ToolError(
        "invalid_input",
        `Invalid arguments at "${names[0]}": ${JSON.stringify(shorten(filled, 128))} is not a valid path segment`,
      );
    }
    return filled;
  }).join("/");
}

/** Number of times that a path is decoded: some proxies decode it once more than the server behind them. */
const DECODINGS = 3;

/**
 * Whether a path has a segment `.` or `..`, in any encoding. It would leave the base URL, at `fetch` or at a proxy.
 *
 * As in URLs, tabs and line breaks are ignored, and a backslash is a slash. A segment also ends at `;`, as in servers of Java.
 */
export function hasDotSegment(path: string): boolean {
  let plain = path;
  for (let round = 0; round < DECODINGS; round++) {
    plain = plain.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  return /(?:^|[\\/])\.{1,2}(?:$|[\\/;?#])/.test(plain.replaceAll(/[\t\r\n]/g, ""));
}
