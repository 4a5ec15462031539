/**
 * Parameters of an operation, and the serialization of their values into a URL or a header.
 *
 * Source: {@link https://spec.openapis.org/oas/v3.1.1.html#style-values | OpenAPI 3.1, style values}; RFC 6570.
 */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { JsonSchema } from "../../core/schema/standard_schema.ts";
import { ImportError, textOf } from "./document.ts";
import type { NamedParameter } from "./operations.ts";
import type { SchemaCollector } from "./schemas.ts";

type ParameterPlace = "path" | "query" | "header";

/** How an argument of a tool becomes a part of the request. */
export interface Parameter {
  readonly name: string;
  /** Location in the request. */
  readonly place: ParameterPlace;
  readonly isRequired: boolean;
  readonly style: "simple" | "form" | "deepObject" | "json";
  /** Whether members of arrays and objects are serialized separately. */
  readonly isExploded: boolean;
  readonly schema: JsonSchema;
}

/** Header parameters that OpenAPI ignores: other parts of the document define them. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/** Headers that no argument may set: they frame the request, or `fetch` reserves them. */
const FORBIDDEN_HEADERS =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie|proxy-.*|sec-.*)$/i;

/**
 * Reads a parameter; `undefined` for the headers `accept`, `content-type` and `authorization`, which OpenAPI ignores, and for an optional
 * parameter that cannot be sent, such as a cookie.
 *
 * @param leaveOut Called for the latter.
 * @throws {ImportError} If a required parameter cannot be sent, or the style or the schema of any is not supported.
 */
export function readParameter(
  { name, source }: NamedParameter,
  schemas: SchemaCollector,
  where: string,
  leaveOut: (what: string) => void,
): Parameter | undefined {
  const place = source["in"];
  const what = `parameter ${JSON.stringify(name).slice(0, 64)} of ${where}`;
  if (place === "header" && IGNORED_HEADERS.has(name.toLowerCase())) return undefined;
  const isRequired = source["required"] === true || place === "path";
  if (!isPlace(place) || (place === "header" && !isHeaderName(name))) {
    if (!isRequired) {
      leaveOut(`its parameter ${JSON.stringify(name.slice(0, 64))} cannot be sent from ${JSON.stringify(place)}`);
      return undefined;
    }
    throw new ImportError(what, `it cannot be sent from ${JSON.stringify(place)}; leave it out by select`);
  }
  const content = source["content"];
  const json = isJsonObject(content) ? asObject(content["application/json"]) : undefined;
  const style = json === undefined ? source["style"] ?? (place === "query" ? "form" : "simple") : "json";
  if (!isStyle(style, place)) {
    throw new ImportError(what, `style ${JSON.stringify(style)} is not supported; leave it out by select`);
  }
  const explode = source["explode"];
  const schema = schemas.convert((json ?? source)["schema"] ?? {});
  const description = textOf(source["description"]);
  return {
    name,
    place,
    isRequired,
    style,
    isExploded: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    schema: description === undefined ? schema : { ...schema, description },
  };
}

function isPlace(place: unknown): place is ParameterPlace {
  return place === "path" || place === "query" || place === "header";
}

function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !FORBIDDEN_HEADERS.test(name);
}

function isStyle(style: unknown, place: ParameterPlace): style is Parameter["style"] {
  if (style === "json") return true;
  return place === "query" ? style === "form" || style === "deepObject" : style === "simple";
}

/** Serializes a parameter, by its style, as percent-encoded parts of a query, which the caller joins by `&`: `tag=a`, `tag=b`. */
export function queryParts({ name, style, isExploded }: Parameter, value: unknown): string[] {
  const key = encode(name);
  if (style === "json") return [`${key}=${encode(JSON.stringify(value))}`];
  if (Array.isArray(value)) {
    if (isExploded) return value.map((item) => `${key}=${encode(scalar(item, name))}`);
    return [`${key}=${listed(value, name, encode)}`];
  }
  if (!isJsonObject(value)) return [`${key}=${encode(scalar(value, name))}`];
  const members = Object.entries(value);
  if (style === "deepObject") {
    return members.map(([member, item]) => `${key}%5B${encode(member)}%5D=${encode(scalar(item, name))}`);
  }
  if (isExploded) return members.map(([member, item]) => `${encode(member)}=${encode(scalar(item, name))}`);
  return [`${key}=${listed(members.flat(), name, encode)}`];
}

/** Serializes a parameter's value for a path, percent-encoded: arrays and objects as a list with commas, or as JSON. */
export function pathText(parameter: Parameter, value: unknown): string {
  return simple(parameter, value, encode);
}

/** Serializes a parameter's value for a header. @throws {ToolError} If a header cannot contain it. */
export function headerText(parameter: Parameter, value: unknown): string {
  const text = simple(parameter, value, (part) => part);
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  throw new ToolError("invalid_input", `Invalid arguments at "${parameter.name}": a header takes only printable ASCII`);
}

type Encode = (text: string) => string;

function simple({ name, style, isExploded }: Parameter, value: unknown, encode: Encode): string {
  if (style === "json") return encode(JSON.stringify(value));
  if (Array.isArray(value)) return listed(value, name, encode);
  if (!isJsonObject(value)) return encode(scalar(value, name));
  const members = Object.entries(value);
  if (!isExploded) return listed(members.flat(), name, encode);
  return members.map(([member, item]) => `${encode(member)}=${encode(scalar(item, name))}`).join(",");
}

function listed(items: readonly unknown[], name: string, encode: Encode): string {
  return items.map((item) => encode(scalar(item, name))).join(",");
}

function scalar(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null) return "";
  throw new ToolError("invalid_input", `Invalid arguments at "${name}": arrays and objects in it cannot be sent`);
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  const escaped = encodeURIComponent(text.toWellFormed());
  return escaped.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
