/**
 * Serializes arguments as an HTTP request.
 *
 * @module
 */
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Members } from "../../internal/json.ts";
import type { InputLayout } from "./input.ts";
import { headerText, type Parameter, pathText, queryParts } from "./parameters.ts";

/** A request, without the common headers. */
export interface ApiRequest {
  /** URL of the request. */
  readonly url: string;
  /** Headers from arguments. */
  readonly headers: Headers;
  /** JSON or plain text; `null` without a body. */
  readonly body: string | null;
}

/**
 * Writes a request.
 *
 * @param base Base URL, without trailing slash.
 * @param path Path of the document: `/pets/{id}`.
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

/** Refuses values that would change the path: an empty segment, `.` or `..`. */
function fillPath(path: string, values: ReadonlyMap<string, readonly [Parameter, unknown]>): string {
  return path.split("/").map((segment) => {
    const names: string[] = [];
    const filled = segment.replaceAll(/\{([^{}]+)\}/g, (template, name: string) => {
      const found = values.get(name);
      if (found === undefined) return template;
      names.push(name);
      return pathText(...found);
    });
    if (names.length > 0 && /^(?:\.|%2e){0,2}$/i.test(filled)) {
      throw new ToolError(
        "invalid_input",
        `Invalid arguments at "${names[0]}": ${JSON.stringify(filled)} is not a valid path segment`,
      );
    }
    return filled;
  }).join("/");
}
