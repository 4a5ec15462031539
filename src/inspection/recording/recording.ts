/**
 * The format of recordings: one JSON object a line. The first line describes the server; a line for each call, its events and its
 * result follow, joined by the number of the call.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { asObject, canonicalJson, isJsonObject, type Members } from "../../internal/json.ts";
import { encodeBase64Url } from "../../core/token/base64url.ts";
import type { CallEvent, CallResult } from "../../core/call/outcome.ts";
import type { ListedTool } from "../../core/call/transport.ts";

/** First line of a recording: version of the format, server and list of tools. */
export interface RecordHead {
  readonly toolwire: "record";
  /** Version of the format. */
  readonly v: 1;
  /** The recorded server. */
  readonly server: { readonly name: string; readonly version?: string };
  /** Digest of the list of tools. */
  readonly list: string;
  /** The list of tools. */
  readonly tools: readonly ListedTool[];
  /** Time of the first line, in ISO 8601. */
  readonly at: string;
}

/** The line of a call, with what is needed to repeat it. Events and result have other lines. */
export interface CallLine {
  /** Number of the call. */
  readonly n: number;
  /** Time since the first line, in milliseconds. */
  readonly at: number;
  /** Wire of the caller. */
  readonly wire: string;
  readonly tool: string;
  readonly args: unknown;
  /** Members of the call's metadata that change its result. */
  readonly meta: Members;
  /** Digest of the principal's id and tenant. Absent for anonymous callers. */
  readonly principal?: string;
}

/** One recorded call: its line, with its events and its result. */
export interface RecordedCall extends CallLine {
  /** Events, in order. */
  readonly events: readonly CallEvent[];
  /** The result. `undefined` if the recording ended before it. */
  readonly settled: CallResult | undefined;
}

/** A decoded recording: the server with its tools, and the calls with their results. */
export interface Recording {
  readonly head: RecordHead;
  /** The calls, in the order in which they began. */
  readonly calls: readonly RecordedCall[];
}

/** Digest of a list of tools, as `sha256-…`, to recognize a changed list. The order of tools matters, that of members does not. */
export function digestOfList(tools: readonly ListedTool[]): string {
  return `sha256-${encodeBase64Url(sha256(new TextEncoder().encode(canonicalJson(tools))))}`;
}

/**
 * Reads a recording.
 *
 * @param text Contents of the file. A last line without its end is ignored: the recording was cut off there.
 * @throws {TypeError} If it is not a recording, is of another version, or a line is invalid.
 */
export function readRecording(text: string): Recording {
  const lines = text.split("\n");
  const head = readHead(lines[0] ?? "");
  const calls = new Map<number, { call: CallLine; events: CallEvent[]; settled: CallResult | undefined }>();
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === "") continue;
    const entry = parseLine(line, index + 1, index === lines.length - 1);
    if (entry === undefined) break;
    const known = calls.get(entry.n);
    if ("tool" in entry) calls.set(entry.n, { call: entry, events: [], settled: undefined });
    else if (known === undefined) throw new TypeError(`Line ${index + 1}: there is no call ${entry.n} before it`);
    else if ("event" in entry) known.events.push(toEvent(entry.event));
    else known.settled = entry.settled;
  }
  return { head, calls: [...calls.values()].map(({ call, events, settled }) => ({ ...call, events, settled })) };
}

function readHead(line: string): RecordHead {
  const head = asObject(parseJson(line));
  const { toolwire, v, server, tools } = head;
  if (toolwire !== "record") {
    throw new TypeError('Not a recording: its first line is not {"toolwire":"record", …}');
  }
  if (v !== 1) throw new TypeError(`The recording is of version ${String(v)}, and this program reads version 1`);
  if (!isJsonObject(server) || !Array.isArray(tools)) {
    throw new TypeError("Line 1: the members server and tools of a recording are missing");
  }
  return head as unknown as RecordHead;
}

/** A line of a recording: a call, one of its events, or its end. */
type Line =
  | CallLine
  | { readonly n: number; readonly event: Members }
  | { readonly n: number; readonly settled: CallResult };

/** @param isLast Whether the line may be incomplete; then it is `undefined`. */
function parseLine(line: string, number: number, isLast: boolean): Line | undefined {
  const entry = parseJson(line);
  if (!isJsonObject(entry)) {
    if (isLast) return undefined;
    throw new TypeError(`Line ${number} is not a JSON object`);
  }
  const isCall = typeof entry["tool"] === "string" && isJsonObject(entry["meta"]);
  const isSettled = typeof asObject(entry["settled"])["kind"] === "string";
  if (typeof entry["n"] === "number" && (isCall || isSettled || isJsonObject(entry["event"]))) {
    return entry as unknown as Line;
  }
  throw new TypeError(`Line ${number} is neither a call, nor an event, nor the result of a call`);
}

/** An event is written as one member, named after its kind: `{"progress":{"done":1}}`. */
function toEvent(event: Members): CallEvent {
  if ("progress" in event) return { kind: "progress", progress: event["progress"] } as CallEvent;
  if ("deferred" in event) return { kind: "deferred", promise: event["deferred"] } as CallEvent;
  if ("dropped" in event) return { kind: "dropped", ...asObject(event["dropped"]) } as CallEvent;
  return { kind: "partial", value: event["partial"] };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
