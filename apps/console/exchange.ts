/** What a wire of the page is, and an exchange over one: the request, and what came back. */
import type { Json } from "./json_schema.ts";
import type { Outcome } from "./outcome.ts";
import type { Answered } from "./questions.ts";

/** A wire that a page can call. */
export interface CallableWire {
  readonly id: string;
  readonly title: string;
  /** The request of a call, with answers to its questions. `undefined` if the wire is not mounted. */
  request(tool: string, args: Json, isStreamed: boolean, answered?: Answered): WireRequest | undefined;
  /** The answer in a JSON body; of a stream, in the data of the last event, with its name, and in the pieces before it. */
  answer(body: unknown, pieces?: readonly unknown[], status?: number, event?: string): Outcome;
  /** Whether its bodies are frames of gRPC-Web, in place of text. */
  readonly isBinary?: boolean;
  /** Whether a call needs a handshake before it, and may ask while it runs. */
  readonly hasHandshake?: boolean;
}

/** A request of the page over one wire, before the credentials are added. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or bytes. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Whether it is a request to the API of the console. */
  readonly isApi?: true;
}

/** What was sent and received. */
export interface Exchange {
  /** Unlike that of any other exchange. */
  readonly id: number;
  readonly wire: string;
  readonly request: WireRequest;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Text of the body, as far as it came; bytes in hexadecimal. */
  readonly text: string;
  readonly tookMs: number;
  /** Milliseconds until the headers of the response were there. */
  readonly firstMs: number;
  readonly outcome: Outcome;
  /** Pieces and progress of a stream. */
  readonly events: readonly { readonly atMs: number; readonly data: unknown }[];
  readonly isDone: boolean;
}
