/** What a list says of a tool beyond the schemas of its arguments and its output, which protocols have no members for. */
import { asObject, isJsonObject } from "../../internal/json.ts";
import type { ListedTool } from "./transport.ts";

/** Member of a listed tool's `_meta` with its {@link ListedContract}. */
export const CONTRACT_META = "toolwire/contract";

/** What a server states about a tool in `_meta` of its listing, beyond MCP: partials, declared failures and promises. */
export interface ListedContract {
  /** JSON Schema of a partial. */
  readonly partialSchema?: Readonly<Record<string, unknown>>;
  /** Schemas of the data of declared failures, by code. `null` if a failure has no data. */
  readonly errors?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  /** Whether a call may return a promise, and whether callers without support for promises are rejected. */
  readonly promises?: "optional" | "required";
  /** Whether `outputSchema` describes an object with the output as its member `result`, as older revisions of MCP require. */
  readonly wrapsOutput?: boolean;
  /** Category of the tool, in lists that have no member `@type`. */
  readonly type?: string;
}

/** Reads the {@link ListedContract} in `_meta` of a listed tool. Malformed members are left out; without any the result is `{}`. */
export function readContract({ _meta: meta }: ListedTool): ListedContract {
  const { partialSchema, errors, promises, wrapsOutput, type } = asObject(asObject(meta)[CONTRACT_META]);
  const declared = Object.entries(asObject(errors)).filter(([, schema]) => schema === null || isJsonObject(schema));
  return {
    ...(isJsonObject(partialSchema) && { partialSchema }),
    ...(declared.length > 0 && { errors: Object.fromEntries(declared) as NonNullable<ListedContract["errors"]> }),
    ...((promises === "optional" || promises === "required") && { promises }),
    ...(wrapsOutput === true && { wrapsOutput }),
    ...(typeof type === "string" && { type }),
  };
}
