/** Jobs as engines store them: JSON, which other programs may have written or spoiled. */
import { isJsonObject } from "../../internal/json.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { ErrorThrottle } from "./store_errors.ts";

/** Logs records that are left out. */
export type SkippedRecords = Pick<ErrorThrottle, "skip">;

/** Decodes the record of a job. `undefined`, after a line in the log, if it is not one: then the job is missing, and others are served. */
export function decodeJob(text: string, id: string, errors: SkippedRecords): Job | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return skipRecord(id, errors, thrown);
  }
  return isJob(value, id) ? value : skipRecord(id, errors, new TypeError("It is not a job with this id"));
}

/** Logs that the record of a job is left out. */
export function skipRecord(id: string, errors: SkippedRecords, error: unknown): undefined {
  errors.skip("The record of a job cannot be read, and is left out", { job: id, error });
}

function isJob(value: unknown, id: string): value is Job {
  if (!isJsonObject(value) || value["id"] !== id) return false;
  const { version, epoch, state, tool, memo } = value;
  return typeof version === "number" && typeof epoch === "number" && typeof state === "string" &&
    typeof tool === "string" && isJsonObject(memo);
}
