/**
 * Pages of a list of jobs, for engines that read jobs in the order of their creation.
 *
 * An engine reads up to {@link HEADS} heads below a position, the latest first; the filter is applied here. So each page takes a bounded
 * time, however few jobs meet the filter.
 */
import { callerKey, readCallerKey } from "../../internal/caller_key.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Job, JobFilter, JobPage, JobState } from "../../core/dispatch/engine.ts";

/** Number of heads that an engine reads for one page. Fewer heads than that are the last ones of the list. */
export const HEADS = 500;

/** Number of digits of a time in a position. */
const DIGITS = 15;

/** The members of a job that a list needs. */
export interface JobHead extends Pick<Job, "id" | "tool" | "createdAtMs"> {
  /** State of the job; `undefined` if it has expired. */
  readonly state: JobState | undefined;
  /** Key of the caller, with the tenant in it; `""` for anonymous ones. */
  readonly principal: string;
}

/** Position in a list of jobs: the time of creation, then the id. A later job has a greater position. */
export interface JobPosition {
  readonly createdAtMs: number;
  readonly id: string;
}

/** The position as text: sorts as the position, and is the cursor of a page that ends with it. */
export function positionOf({ createdAtMs, id }: JobPosition): string {
  return `${String(Math.floor(createdAtMs)).padStart(DIGITS, "0")}:${id}`;
}

/** The jobs that a page is of: those below `before` that were created at `fromMs` or later. */
export interface JobRange {
  readonly before: JobPosition;
  readonly fromMs: number;
}

/**
 * Returns the range of jobs that a page is of: those below the cursor, if there is one, within the times of the filter.
 *
 * @throws {ToolError} `invalid_request` if the cursor is not a position.
 */
export function rangeOf({ createdBeforeMs, createdFromMs = 0 }: JobFilter, cursor: string | undefined): JobRange {
  // No id is smaller than the empty one.
  const end = { createdAtMs: Math.ceil(createdBeforeMs ?? 10 ** DIGITS - 1), id: "" };
  const fromMs = Math.ceil(createdFromMs);
  if (cursor === undefined) return { before: end, fromMs };
  const [, createdAtMs, id = ""] = /^(\d{15}):([^]{1,200})$/.exec(cursor) ?? [];
  if (createdAtMs === undefined) {
    const message = "Cannot list jobs: the cursor is not one of this list; use the cursor of the page before, or none";
    throw new ToolError("invalid_request", message);
  }
  const before = { createdAtMs: Number(createdAtMs), id };
  return { before: positionOf(before) < positionOf(end) ? before : end, fromMs };
}

/** Makes a page of the heads that meet the filter, up to `limit`. Without a cursor, it is the last page: there were fewer than {@link HEADS}. */
export function pageOf(heads: readonly JobHead[], filter: JobFilter, limit: number): JobPage {
  const ids: string[] = [];
  for (const head of heads) {
    if (!meets(head, filter)) continue;
    ids.push(head.id);
    if (ids.length >= limit) return { ids, cursor: positionOf(head) };
  }
  const last = heads[HEADS - 1];
  return last === undefined ? { ids } : { ids, cursor: positionOf(last) };
}

function meets(head: JobHead, { states, tool = head.tool, principal, tenant }: JobFilter): boolean {
  if (head.state === undefined || head.tool !== tool) return false;
  if (principal !== undefined || tenant !== undefined) {
    const caller = readCallerKey(head.principal);
    if (principal !== undefined && caller.id !== principal) return false;
    if (tenant !== undefined && (caller.tenant ?? "") !== tenant) return false;
  }
  return states === undefined || states.includes(head.state);
}

/** Returns the head in a row of an SQL table with the columns `id` and those of {@link headColumns}. */
export function headOfRow(row: Readonly<Record<string, unknown>>): JobHead {
  return {
    id: String(row["id"]),
    createdAtMs: Number(row["created_at_ms"]),
    state: row["state"] as JobState,
    tool: String(row["tool"]),
    principal: String(row["principal"]),
  };
}

/** Returns the values of the columns `created_at_ms`, `state`, `tool` and `principal` of a job. */
export function headColumns({ createdAtMs, state, tool, principal }: Job): [number, string, string, string] {
  return [Math.floor(createdAtMs), state, tool, callerKey(principal)];
}
