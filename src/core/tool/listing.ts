import { omitUndefined } from "../../internal/json.ts";
import type { ToolDefinition } from "./definition.ts";

/** A tool as it is listed to callers (docs/spec.md 3.9 and A.1). Members that are absent are left out. */
export interface ToolListing {
  /** Unique on a server. */
  readonly name: string;
  /** Category, such as `query`. */
  readonly "@type"?: string;
  /** For people. */
  readonly title?: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema 2020-12 of the output. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Hints, with MCP's names. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** The tool's own metadata. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Describes a tool to callers. */
export function listTool(definition: ToolDefinition): ToolListing {
  const { name, type, title, description, inputSchema, output, annotations, meta } = definition;
  return {
    name,
    ...omitUndefined({ "@type": type, title }),
    description,
    inputSchema,
    ...omitUndefined({ outputSchema: output?.jsonSchema, annotations: annotations && { ...annotations }, _meta: meta }),
  };
}
