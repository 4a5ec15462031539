import { CONTRACT_META, type ListedContract } from "../call/listed_contract.ts";
import { omitUndefined } from "../../internal/json.ts";
import type { ToolDefinition } from "./definition.ts";

/** A tool as MCP-lite lists it (docs/spec.md 3.9 and A.1). Undefined members are omitted. */
export interface ToolListing {
  /** Name, unique on a server. */
  readonly name: string;
  /** Category, such as `query`. */
  readonly "@type"?: string;
  /** Title for people. */
  readonly title?: string;
  /** Description of the tool. */
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema 2020-12 of the output. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Hints, as defined by MCP. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** Metadata of the tool. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Creates the listing of a tool from its definition, under the name of the definition. */
export function listTool(definition: ToolDefinition): ToolListing {
  const { name, type, title, description, inputSchema, output, annotations } = definition;
  const meta = listMeta(definition);
  return {
    name,
    ...omitUndefined({ "@type": type, title }),
    description,
    inputSchema,
    ...omitUndefined({ outputSchema: output?.jsonSchema, annotations: annotations && { ...annotations }, _meta: meta }),
  };
}

/**
 * The `_meta` of a tool in a list: the members of `.meta()`, and a {@link ListedContract} if the tool has partials, failures or promises.
 *
 * @param listed What the list has no member for: whether its schema of the output is that of an object around it, and the category.
 */
export function listMeta(
  { meta, partial, errors, promise, external }: ToolDefinition,
  listed: Pick<ListedContract, "wrapsOutput" | "type"> = {},
): Readonly<Record<string, unknown>> | undefined {
  const contract = omitUndefined<{ [Name in keyof ListedContract]-?: ListedContract[Name] | undefined }>({
    partialSchema: partial?.jsonSchema,
    errors: errors.size > 0
      ? Object.fromEntries([...errors].map(([code, data]) => [code, data?.jsonSchema ?? null]))
      : undefined,
    promises: promise?.required ? "required" : promise || external ? "optional" : undefined,
    wrapsOutput: listed.wrapsOutput || undefined,
    type: listed.type,
  });
  return Object.keys(contract).length > 0 ? { ...meta, [CONTRACT_META]: contract } : meta;
}
