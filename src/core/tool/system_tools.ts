import { isJsonObject } from "../../internal/json.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { JsonSchema, SchemaIssue } from "../schema/standard_schema.ts";
import { EMPTY_DEFINITION, type ToolDefinition } from "./definition.ts";

const PROMISE: JsonSchema = {
  type: "string",
  description: "The promise token received from a previous operation",
};

const WAIT: JsonSchema = {
  type: "integer",
  minimum: 0,
  description: "How long to wait for the result, in milliseconds, before the promise is given again; at most 25000",
};

const AFTER: JsonSchema = {
  type: "integer",
  minimum: 0,
  description: "With a stream: the number of pieces of the answer that were received; the pieces after them are sent",
};

/** Arguments of `redeem`. `cancel` takes the promise token only. */
export interface RedeemInput {
  /** The promise token. */
  readonly promise: string;
  /** Maximum wait, in milliseconds. */
  readonly wait_ms?: number | undefined;
  /** Number of pieces of a streamed answer that the caller has: those that follow are sent. */
  readonly after?: number | undefined;
}

/** Definitions of `redeem` and `cancel`, for servers that return promises (docs/spec.md 3.6 and A.1). The engine's code runs them. */
export const SYSTEM_TOOLS: readonly ToolDefinition[] = [
  systemTool("redeem", "Redeem a promise token to get the result of a long-running operation", {
    readOnlyHint: true,
    idempotentHint: true,
  }, { promise: PROMISE, wait_ms: WAIT, after: AFTER }),
  systemTool("cancel", "Cancel a long-running operation by its promise token", {
    destructiveHint: true,
    idempotentHint: true,
  }, { promise: PROMISE }),
];

function systemTool(
  name: string,
  description: string,
  annotations: ToolDefinition["annotations"],
  properties: JsonSchema,
): ToolDefinition {
  const input: CompiledSchema = {
    jsonSchema: { type: "object", required: ["promise"], properties },
    validate: checkRedeemInput,
  };
  return {
    ...EMPTY_DEFINITION,
    name,
    description,
    type: "system",
    inputSchema: input.jsonSchema,
    input,
    annotations,
    isSystem: true,
    handler: () => undefined,
  };
}

function checkRedeemInput(value: unknown): { readonly value: unknown; readonly issues?: readonly SchemaIssue[] } {
  const { promise, wait_ms: waitMs = 0, after = 0 }: Readonly<Record<string, unknown>> = isJsonObject(value)
    ? value
    : {};
  if (typeof promise !== "string") return { value, issues: [issue("promise", "the promise token, as a string")] };
  if (!isCount(waitMs)) return { value, issues: [issue("wait_ms", "a whole number of milliseconds")] };
  return isCount(after) ? { value } : { value, issues: [issue("after", "a whole number of pieces")] };
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function issue(member: string, expected: string): SchemaIssue {
  return { message: `Expected ${expected}`, path: [member], expected };
}
