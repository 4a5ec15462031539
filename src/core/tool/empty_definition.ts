import type { ToolDefinition } from "./definition.ts";

/** A plan that says nothing yet: any arguments, any output, no limits of its own. */
export const EMPTY_DEFINITION: Omit<ToolDefinition, "name" | "description" | "handler"> = {
  type: undefined,
  title: undefined,
  inputSchema: { type: "object" },
  input: undefined,
  adapters: [],
  config: undefined,
  output: undefined,
  partial: undefined,
  errors: new Map(),
  annotations: undefined,
  meta: undefined,
  timeoutMs: undefined,
  scopes: [],
  isVisible: undefined,
  middleware: [],
  revision: undefined,
  promise: undefined,
  external: undefined,
  part: undefined,
  remote: undefined,
  isSystem: false,
  render: undefined,
};
