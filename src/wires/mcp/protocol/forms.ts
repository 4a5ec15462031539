import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";

/**
 * Prefix of the keys of questions that ask for more of a resource. MCP has no such question: it is sent as a form with one
 * boolean field, `granted`.
 */
export const RESOURCE_KEY_PREFIX = "resource/";

/** Whether a schema is that of the form with the field `granted`. */
export function isGrantForm(schema: unknown): boolean {
  const [[name, field] = [], ...others] = Object.entries(asObject(asObject(schema)["properties"]));
  return name === "granted" && others.length === 0 && asObject(field)["type"] === "boolean";
}

/** A request of a server to its client, without an id. */
export interface InputRequest {
  /** The method, such as `elicitation/create`. */
  readonly method: string;
  /** Parameters of the method. */
  readonly params: Members;
}

/** Whether a response is the result of `roots/list` or `sampling/createMessage`. Only results of forms have an `action`. */
export function isModelOrRootsResult(response: unknown): boolean {
  return isJsonObject(response) && (Array.isArray(response["roots"]) || typeof response["model"] === "string");
}
