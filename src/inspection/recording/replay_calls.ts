/** Sends the calls of a recording to a server again, and compares the results. */
import type { CallEvent, CallResult, UnknownOutcome } from "../../core/call/outcome.ts";
import type { ActivityMonitor, Transport } from "../../core/call/transport.ts";
import { asObject, type Members, omitUndefined } from "../../internal/json.ts";
import { compareJson, type JsonComparison, type JsonDifference } from "./compare_json.ts";
import { createRedactor } from "../../core/redaction/redact.ts";
import { withoutRejectedValues } from "../../core/redaction/rejected_input.ts";
import type { RecordedCall, Recording } from "./recording.ts";
import { CallRepeater, type RepeatedCall } from "./repeat_call.ts";

/** Whether one recorded call has the same result when it is repeated, and the differences. */
export interface ReplayedCall {
  readonly n: number;
  readonly tool: string;
  /** `skipped`: the call cannot be sent again; `reason` says why. */
  readonly status: "same" | "different" | "skipped";
  readonly reason?: string;
  readonly differences: readonly JsonDifference[];
  /** Number of recorded texts with the mark of a secret, which is not compared. */
  readonly redacted: number;
}

/** Options of {@link replayCalls}. */
export interface ReplayOptions {
  // JSON pointers of places that are not compared. A `*` stands for any one member: `/value/*/id`.
  readonly ignore: readonly string[];
  /** Runs a request within its time limit. */
  limited<Value>(work: (limit: ActivityMonitor) => Promise<Value>): Promise<Value>;
}

const { value: redact } = createRedactor();

/** Sends the calls again, one after the other, and yields how each result compares. Tokens are replaced by those that the server gave. */
export async function* replayCalls(
  { head, calls }: Recording,
  transport: Pick<Transport, "call">,
  options: ReplayOptions,
): AsyncGenerator<ReplayedCall> {
  const schemas = new Map(head.tools.map(({ name, outputSchema }) => [name, outputSchema]));
  const repeater = new CallRepeater(transport, (work) => options.limited(work));
  for (const call of calls) {
    const { n, tool, settled } = call;
    const reason = repeater.whySkipped(call);
    if (reason !== undefined || settled === undefined) {
      yield { n, tool, status: "skipped", ...(reason && { reason }), differences: [], redacted: 0 };
      continue;
    }
    const compared = compareResults(call, settled, await repeater.repeat(call), schemas.get(tool), options.ignore);
    yield { n, tool, status: compared.differences.length === 0 ? "same" : "different", ...compared };
  }
}

function compareResults(
  { events }: RecordedCall,
  settled: CallResult,
  repeated: RepeatedCall,
  schema: unknown,
  ignore: readonly string[],
): JsonComparison {
  const { kind } = repeated.settled;
  // A server that is faster than its budget answers at once. The answer is compared with that of the recorded redeem.
  if (settled.kind === "promise" && (kind === "answer" || kind === "failure")) return { differences: [], redacted: 0 };
  const { value, ...rest } = comparable(repeated.settled, repeated.events);
  const replaced = omitUndefined({ ...asObject(redact(rest)), value: redact(value, schema) });
  return compareJson(comparable(settled, events), replaced, ignore);
}

/** What has to be equal: not tokens, times and metadata. An internal error has another correlation id each time. */
function comparable(settled: CallResult | UnknownOutcome, events: readonly CallEvent[]): Members {
  const pieces = events.flatMap((event) => (event.kind === "partial" ? [event.value] : []));
  const joined = pieces.every((piece) => typeof piece === "string") ? pieces.join("") : pieces;
  const streamed = pieces.length === 0 ? {} : { pieces: joined };
  switch (settled.kind) {
    case "answer":
      return omitUndefined({ kind: settled.kind, value: settled.value, ...streamed });
    case "failure":
      return omitUndefined({
        kind: settled.kind,
        code: settled.code,
        message: settled.message,
        data: settled.data,
        ...streamed,
      });
    case "error": {
      const { kind, code, message, data } = withoutRejectedValues(settled);
      return code === "internal" ? { kind, code } : omitUndefined({ kind, code, message, data, ...streamed });
    }
    case "promise":
      return { kind: settled.kind };
    case "unknown":
      return { kind: settled.kind, responseType: settled.responseType };
    default:
      return { kind: settled.kind, requests: settled.requests };
  }
}
