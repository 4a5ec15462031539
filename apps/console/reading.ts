/** The body of a response, read part by part. */
import { createParser } from "eventsource-parser";
import { decodeGrpcWeb, decodeText, hexDump, joinBytes } from "./grpc_web.ts";
import { asObject, type Outcome } from "./outcome.ts";
import type { CallableWire, Exchange } from "./exchange.ts";

/** Events of a stream that are kept. */
const MAX_EVENTS = 1_000;
/** Longest text that is shown, in characters. */
const MAX_TEXT = 262_144;
/** Bytes that are shown of a body that is not text. */
const MAX_BYTES = 32_768;
/** Outcome of a stream that ended without its last event, and of JSON without its end. */
const BROKEN: Outcome = {
  kind: "error",
  value: { code: "unavailable", message: "The stream broke off: its end did not arrive" },
};

/** What reads the responses of a wire. */
export type WireReader = Pick<CallableWire, "id" | "answer" | "isBinary">;

/** Takes a body part by part. */
export interface Reading {
  /** @returns Whether there may be something to show. */
  take(chunk: Uint8Array): boolean;
  soFar(isDone: boolean): Pick<Exchange, "text" | "outcome" | "events">;
}

/** Returns the time since the request was sent, in milliseconds. */
type Since = () => number;

export function readText(wire: WireReader, { headers, status }: Response, since: Since): Reading {
  const events: { atMs: number; data: unknown }[] = [];
  let last: unknown;
  /** Name of the last event, if it ends the stream. */
  let final: string | undefined;
  let text = "";
  const parser = createParser({
    onEvent: ({ data, event = "message" }) => {
      last = parse(data);
      if (isFinal(event, last)) final = event;
      else if (events.length < MAX_EVENTS) events.push({ atMs: since(), data: last });
    },
  });
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const isJson = /[/+]json\b/.test(headers.get("content-type") ?? "");
  const decoder = new TextDecoder();
  const outcome = (isDone: boolean): Outcome => {
    if (!isStream) {
      const body = parse(text);
      return isJson && body === text ? BROKEN : refused(wire.answer(body, undefined, status), status, text);
    }
    return isDone && final === undefined ? BROKEN : wire.answer(last, piecesOf(events), undefined, final);
  };
  return {
    take(chunk) {
      const part = decoder.decode(chunk, { stream: true });
      text += part;
      if (isStream) parser.feed(part);
      return isStream;
    },
    soFar: (isDone) => ({ text, outcome: outcome(isDone), events: [...events] }),
  };
}

/** The events that end a stream: a response of JSON-RPC, or an event with the name of an end. */
function isFinal(event: string, data: unknown): boolean {
  if (event !== "message") return event === "done" || event === "error";
  const { result, error } = asObject(data);
  return result !== undefined || error !== undefined;
}

/** A refusal that is not in the form of the wire, such as one of a proxy, is an error. */
function refused(outcome: Outcome, status: number, text: string): Outcome {
  if (outcome.kind !== "answer" || status < 400) return outcome;
  return { kind: "error", value: { code: `HTTP ${status}`, message: shorten(text).shown } };
}

export function readBinary(wire: WireReader, { headers }: Response, since: Since): Reading {
  const events: { atMs: number; data: unknown }[] = [];
  let last: unknown;
  let isEnded = headers.has("grpc-status");
  /** The beginning of the body, to show; the part that is not yet a whole frame; and the number of bytes. */
  let head = new Uint8Array();
  let rest = new Uint8Array();
  let length = 0;
  return {
    take(chunk) {
      length += chunk.length;
      if (head.length < MAX_BYTES) head = joinBytes(head, chunk.subarray(0, MAX_BYTES - head.length));
      const body = decodeGrpcWeb(joinBytes(rest, chunk));
      rest = body.rest;
      for (const { result, meta, ...others } of body.messages) {
        if (meta !== undefined) last = { result, meta, ...others };
        else if (events.length < MAX_EVENTS) events.push({ atMs: since(), data: result });
      }
      isEnded ||= body.trailers !== undefined;
      const { "grpc-status": status = "0", "grpc-message": message = "" } = body.trailers ?? {};
      if (status !== "0") last = { code: `status ${status}`, message };
      return true;
    },
    soFar(isDone) {
      const status = headers.get("grpc-status");
      const refused = { code: `status ${status}`, message: decodeText(headers.get("grpc-message") ?? "") };
      const body = status === null || status === "0" ? last : refused;
      const outcome = isDone && !isEnded ? BROKEN : wire.answer(body, piecesOf(events));
      return { text: hexDump(head, length), outcome, events: [...events] };
    },
  };
}

function piecesOf(events: Exchange["events"]): readonly unknown[] {
  return events.map(({ data }) => asObject(data)["partial"]).filter((piece) => piece !== undefined);
}

/** A text for the screen: cut, with what is left out. */
export function shorten(text: string): { readonly shown: string; readonly left: number } {
  return { shown: text.slice(0, MAX_TEXT), left: Math.max(0, text.length - MAX_TEXT) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
