import { isJsonObject } from "../internal/json.ts";
import type { CallMeta } from "./call.ts";
import { type Refusal, refuseInput } from "./outcome.ts";

/** Reads what a caller says about a call, by its names on the wire (`params._meta`). Total: bad input is a value. */
export function decodeCallMeta(meta: unknown): CallMeta | Refusal {
  if (!isJsonObject(meta)) return refuseInput("params._meta must be an object", ["_meta"], "object", meta);
  const { deadline_ms: deadlineMs } = meta;
  if (deadlineMs === undefined) return {};
  if (typeof deadlineMs === "number" && deadlineMs > 0) return { deadlineMs };
  const message = "params._meta.deadline_ms must be a positive number of milliseconds";
  return refuseInput(message, ["_meta", "deadline_ms"], "positive number", deadlineMs);
}
