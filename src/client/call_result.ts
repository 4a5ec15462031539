/** Reads results of calls: retryable errors, answers and exceptions. */
import { type CallResult, type ErrorResult, toToolError, type UnknownOutcome } from "../core/call/outcome.ts";
import { Failure } from "../core/errors/failure.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { asObject } from "../internal/json.ts";
import { shorten } from "../internal/text.ts";

/** How often, and after which delays, a client repeats calls that end as `unavailable` or `rate_limited`. */
export interface RetryOptions {
  /** Maximum number of retries; ten times as many for `redeem` and `cancel`. Default: 2; 0 disables retries. */
  readonly attempts?: number | undefined;
  /** Maximum delay before the first retry, in milliseconds. It doubles with each retry. Default: 200. */
  readonly baseDelayMs?: number | undefined;
  /** Maximum delay, in milliseconds. If the server requests a longer one, the call is not retried. Default: 10,000. */
  readonly maxDelayMs?: number | undefined;
}

/** Whether a result is an error with code `unavailable` or `rate_limited`. Whether the call took effect is not considered. */
export function isRetryable(result: CallResult | UnknownOutcome): result is ErrorResult {
  return result.kind === "error" && (result.code === "unavailable" || result.code === "rate_limited");
}

/**
 * Delay before retry number `attempt` (from 0), in milliseconds: the one that the server requests, else exponential
 * with full jitter. `undefined` if it exceeds the maximum.
 */
export function retryDelayMs(
  error: ErrorResult,
  attempt: number,
  { baseDelayMs = 200, maxDelayMs = 10_000 }: RetryOptions = {},
): number | undefined {
  const requestedMs = (error.data as { readonly retry_after_ms?: unknown } | null | undefined)?.retry_after_ms;
  if (typeof requestedMs === "number") return requestedMs > maxDelayMs ? undefined : requestedMs;
  return Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
}

/** Maximum length of a tool's name and of a suggestion in a message, in UTF-16 code units. */
const MAX_NAMED = 128;

/** Functions of other libraries' clients: a member of a client is a tool here. */
const OWN_FUNCTIONS: Readonly<Record<string, string>> = {
  tools: "client.$.list()",
  list: "client.$.list()",
  listTools: "client.$.list()",
  callTool: 'client.$.call("name", { … })',
  call: 'client.$.call("name", { … })',
  connect: "there is nothing to connect, the first call does it",
  close: "client.$.close()",
  readResource: "mcpTransport(url).resources.read(uri)",
  listResources: "mcpTransport(url).resources.list()",
  getPrompt: "mcpTransport(url).prompts.get(name)",
  listPrompts: "mcpTransport(url).prompts.list()",
};

/** The error about an unknown tool, with the tool and the server's suggestion in its message. Protocols have them in different places. */
export function nameUnknownTool(error: ErrorResult, called: string): ErrorResult {
  const { requested_tool: requested = called, suggestion } = asObject(error.data);
  const name = shorten(typeof requested === "string" ? requested : called, MAX_NAMED);
  const isOurs = error.message.startsWith("Tool not found");
  if (!isOurs && error.message.includes(name)) return error;
  // Other servers may give a reason.
  const message = `Tool ${JSON.stringify(name)} was not found${isOurs ? "" : `: ${error.message}`}`;
  const own = Object.hasOwn(OWN_FUNCTIONS, name) ? OWN_FUNCTIONS[name] : undefined;
  if (own !== undefined) return { ...error, message: `${message}; of the client itself: ${own}` };
  if (typeof suggestion !== "string" || suggestion === "") return { ...error, message };
  const advice = shorten(suggestion.replaceAll("'", '"'), 2 * MAX_NAMED);
  return { ...error, message: `${message}; ${advice.charAt(0).toLowerCase()}${advice.slice(1)}` };
}

/** Returns the value of an answer. Throws `Failure` for a failure, and `ToolError` for errors, promises, questions and unknown results. */
export function unwrapAnswer(result: CallResult | UnknownOutcome): unknown {
  switch (result.kind) {
    case "answer":
      return result.value;
    case "failure":
      throw new Failure(result.code, result.message, result.data);
    case "error":
      throw toToolError(result);
    default: {
      const answerIt = "requests" in result ? "give the client onElicitation and onMoreRequested, or " : "";
      throw unexpectedOutcome(result, `an answer: ${answerIt}read it with .outcome()`);
    }
  }
}

/** Creates an `invalid_request` exception for a result of another kind than `wanted`. Its `details` are the result. */
export function unexpectedOutcome(result: CallResult | UnknownOutcome, wanted: string): ToolError {
  const { kind, responseType = kind } = result as UnknownOutcome;
  return new ToolError("invalid_request", `The server answered with ${responseType}, not with ${wanted}`, {
    details: result,
  });
}
