/**
 * Lists of jobs in Redis: two sorted sets of positions, kept by the scripts of the records.
 *
 * `<prefix>:positions` has all positions with the same score, so that it is in the order of creation. In `<prefix>:expiries` the score is
 * the time of expiry: Redis deletes an expired record, but not its positions, which the next insertions remove.
 */
import type { Redis } from "ioredis";
import { callerKey } from "../../../internal/caller_key.ts";
import type { Job, JobState } from "../../../core/dispatch/engine.ts";
import { type SkippedRecords, skipRecord } from "../job_record.ts";
import { HEADS, type JobHead, type JobRange, positionOf } from "../job_list.ts";

/** Part of the Lua script that inserts a job: removes the positions of up to 10 expired jobs, while one is added. */
export const TRIM = `
  local expired = redis.call("ZRANGEBYSCORE", KEYS[3], "-inf", now, "LIMIT", 0, 10)
  if #expired > 0 then
    redis.call("ZREM", KEYS[2], unpack(expired))
    redis.call("ZREM", KEYS[3], unpack(expired))
  end`;

/** Returns the Redis key of the hash that has a job's record. */
export function recordKey(prefix: string, id: string): string {
  return `${prefix}:job:${id}`;
}

/** Returns the Redis key of the list that has a job's ledger. */
export function ledgerKey(prefix: string, id: string): string {
  return `${prefix}:ledger:${id}`;
}

/** Returns the field `head` of a record as JSON: state, tool and caller, which a list needs besides the position. */
export function headText({ state, tool, principal }: Job): string {
  return JSON.stringify([state, tool, callerKey(principal)]);
}

/** Reads the first {@link HEADS} jobs of a range, the latest first. Expired ones may be among them, without a state. */
export async function readHeads(
  redis: Redis,
  prefix: string,
  { before, fromMs }: JobRange,
  errors: SkippedRecords,
): Promise<readonly JobHead[]> {
  const range = [`(${positionOf(before)}`, `[${positionOf({ createdAtMs: fromMs, id: "" })}`] as const;
  const positions = await redis.zrevrangebylex(`${prefix}:positions`, ...range, "LIMIT", 0, HEADS);
  // The client sends them as one batch.
  return await Promise.all(positions.map((position) => readHead(redis, prefix, position, errors)));
}

/** The head of a job. Its state is `undefined` if the job has expired, even if a new one has its id, or its record is spoiled. */
async function readHead(redis: Redis, prefix: string, position: string, errors: SkippedRecords): Promise<JobHead> {
  const at = position.indexOf(":");
  const id = position.slice(at + 1);
  const [head, current] = await redis.hmget(recordKey(prefix, id), "head", "position");
  const isCurrent = typeof head === "string" && current === position;
  const [state, tool = "", principal = ""] = isCurrent ? decodeHead(head, id, errors) : [];
  return { id, createdAtMs: Number(position.slice(0, at)), state, tool, principal };
}

/** Fields of a job's record that a filter of a list compares, as Redis returns them. */
type HeadReply = readonly [state?: JobState, tool?: string, principal?: string];

function isHead(value: unknown): value is HeadReply {
  return Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === "string");
}

function decodeHead(text: string, id: string, errors: SkippedRecords): HeadReply {
  try {
    const head: unknown = JSON.parse(text);
    if (isHead(head)) return head;
  } catch {
    // Left out as any other text.
  }
  return skipRecord(id, errors, new TypeError("Its head is not state, tool and caller")) ?? [];
}
