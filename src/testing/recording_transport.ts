/** A recording as a server: answers calls by tool and arguments, in recorded order for repeated calls. */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  invalidInputResult,
  joinPartials,
  type Sink,
} from "../core/call/outcome.ts";
import type { ListedTool, Transport, TransportCall } from "../core/call/transport.ts";
import { listTool } from "../core/tool/listing.ts";
import { SYSTEM_TOOLS } from "../core/tool/system_tools.ts";
import { asObject, canonicalJson, type Members } from "../internal/json.ts";
import { describeUnknown, shorten } from "../internal/text.ts";
import { createRedactor } from "../core/redaction/redact.ts";
import type { RecordedCall, Recording } from "../inspection/recording/recording.ts";

/** Calls of one tool with the same arguments. */
interface RepeatedCalls {
  readonly calls: readonly RecordedCall[];
  /** Number of calls that were answered. */
  answered: number;
}

const { value: redact } = createRedactor();

/** Maximum length of recorded arguments in an error message, in characters. */
const MAX_SHOWN = 500;

/**
 * Creates a transport that answers from a recording. Secrets of the arguments are compared as they were recorded, replaced: any
 * password fits the place of a recorded one. After the last recorded result of a call it is repeated. Other calls get an error.
 */
export function recordingTransport({ head, calls }: Recording): Transport & { list(): readonly ListedTool[] } {
  const byKey = new Map<string, RepeatedCalls>();
  const schemas = new Map(head.tools.map(({ name, inputSchema }) => [name, inputSchema]));
  const settled = calls.filter((call) => call.settled !== undefined);
  for (const [key, repeats] of Map.groupBy(settled, ({ tool, args, meta }) => keyOf(tool, args, meta, schemas))) {
    byKey.set(key, { calls: repeats, answered: 0 });
  }
  const tools = withSystemTools(head.tools, settled);
  return {
    list: () => tools,
    async call({ tool, args, meta = {} }: TransportCall, sink?: Sink): Promise<CallResult> {
      const repeats = byKey.get(keyOf(tool, args, meta, schemas));
      if (repeats === undefined) {
        const isSame = (other: unknown) => keyOf(tool, other, {}, schemas) === keyOf(tool, args, {}, schemas);
        const isCutOff = calls.some((call) => call.settled === undefined && call.tool === tool && isSame(call.args));
        return isCutOff
          ? errorResult(
            "invalid_request",
            `The recording ends before the result of this call of ${tool}: record it again`,
          )
          : describeMissing({ tool, args, meta }, tools.map(({ name }) => name), settled, isSame);
      }
      const call = repeats.calls[Math.min(repeats.answered++, repeats.calls.length - 1)];
      if (call?.settled === undefined) return errorResult("internal", "The recording has no result of this call");
      for (const event of call.events) await sink?.push(event);
      return sink === undefined ? withPartials(call.settled, call) : call.settled;
    },
  };
}

/** Adds `redeem` and `cancel` if a recorded call ended in a promise. */
function withSystemTools(tools: readonly ListedTool[], calls: readonly RecordedCall[]): readonly ListedTool[] {
  if (!calls.some(({ settled }) => settled?.kind === "promise")) return tools;
  const missing = SYSTEM_TOOLS.filter((system) => !tools.some(({ name }) => name === system.name));
  return [...missing.map((system) => ({ ...listTool(system) })), ...tools];
}

/** Calls are the same if tool, arguments and answers to questions are equal. `redeem` may wait as long as it wants. */
function keyOf(
  tool: string,
  args: unknown,
  meta: Readonly<Record<string, unknown>>,
  schemas: ReadonlyMap<string, unknown>,
): string {
  const replaced = redact(args ?? {}, schemas.get(tool));
  const { wait_ms: _, ...promised } = asObject(replaced);
  const isSystem = tool === "redeem" && typeof promised["promise"] === "string";
  const given = isSystem ? promised : replaced;
  return canonicalJson([tool, given, redact(meta["responses"] ?? null), meta["promise"] === true]);
}

/** A unary call gets the joined pieces of a streamed answer that has no value. */
function withPartials(settled: CallResult, { events }: RecordedCall): CallResult {
  const pieces = events.flatMap((event) => (event.kind === "partial" ? [event.value] : []));
  if (settled.kind !== "answer" || settled.value !== undefined || pieces.length === 0) return settled;
  return { ...settled, value: joinPartials(pieces) };
}

function describeMissing(
  { tool, args, meta = {} }: Pick<TransportCall, "tool" | "args" | "meta">,
  names: readonly string[],
  calls: readonly RecordedCall[],
  isSame: (args: unknown) => boolean,
): ErrorResult {
  if (!names.includes(tool)) {
    return errorResult("tool_not_found", "Tool not found", describeUnknown("tool", tool, names));
  }
  const recorded = calls.filter((call) => call.tool === tool);
  const [nearest] = recorded.toSorted((one, other) => commonMembers(other.args, args) - commonMembers(one.args, args));
  const same = recorded.filter((call) => isSame(call.args));
  if (same.length > 0) {
    const message = `The recording has a call of ${tool} with these arguments, but ${describeMeta(same, meta)}`;
    return invalidInputResult(message, [], "a recorded call", args);
  }
  const shown = nearest === undefined ? undefined : shorten(JSON.stringify(nearest.args), MAX_SHOWN);
  const message = shown === undefined
    ? `The recording has no call of ${tool}`
    : `The recording has no call of ${tool} with these arguments; the nearest is ${shown}`;
  return invalidInputResult(message, [], shown ?? "no call", args);
}

/** How recorded calls differ from one with equal arguments. */
function describeMeta(recorded: readonly RecordedCall[], given: Members): string {
  const isPromised = given["promise"] === true;
  const alike = recorded.filter(({ meta }) => (meta["promise"] === true) === isPromised);
  if (alike.length === 0) return isPromised ? "it did not ask for a promise" : "it asked for a promise";
  const answers = alike.find(({ meta }) => meta["responses"] !== undefined)?.meta["responses"];
  if (answers === undefined) return "without answers to questions";
  return `with other answers to questions: ${shorten(JSON.stringify(answers), MAX_SHOWN)}`;
}

/** Number of members that are equal in both. */
function commonMembers(recorded: unknown, given: unknown): number {
  const other = asObject(redact(given));
  return Object.entries(asObject(recorded)).filter(([name, value]) =>
    canonicalJson(value) === canonicalJson(other[name] ?? null)
  ).length;
}
