/** Removes the rejected values from the error that a caller gets for invalid arguments. */
import { asObject, type Members } from "../../internal/json.ts";
import { formatPath } from "../../internal/text.ts";

/** A result of a call, of which the data of an error is read. */
interface Settled {
  readonly kind: string;
  readonly code?: string;
  readonly message?: string;
  readonly data?: unknown;
}

/** Stands for an expectation that only a message of a validation library has. Such a message may quote the value. */
const UNKNOWN = "what its schema says";

/**
 * Prepares a result for storage: of the issues of `invalid_input` their paths and expectations are kept, and the message is made of
 * them. Other results are returned as they are. Applied twice it changes nothing more.
 */
export function withoutRejectedValues<Result extends Settled>(result: Result): Result {
  if (result.kind !== "error" || result.code !== "invalid_input") return result;
  const { issues } = asObject(result.data);
  if (!Array.isArray(issues)) return result;
  const kept = issues.map((issue) => located(asObject(issue)));
  const [{ path, expected } = { path: [], expected: UNKNOWN }] = kept;
  const place = path.length === 0 ? "" : ` at "${formatPath(path)}"`;
  return { ...result, message: `Invalid arguments: expected ${expected}${place}`, data: { issues: kept } };
}

function located({ path, expected, message }: Members) {
  const isExpectation = typeof expected === "string" && expected !== message;
  const keys = Array.isArray(path) ? path.map((key) => (typeof key === "number" ? key : String(key))) : [];
  return { path: keys, expected: isExpectation ? expected : UNKNOWN };
}
