/**
 * The body of a streamed answer as text or bytes, for callers that accept their media type.
 *
 * @module
 */
import { readFileBlock } from "../../../core/call/read_file_block.ts";
import { type CallEvent, type CallResult, PieceCollector, type Sink } from "../../../core/call/outcome.ts";
import { joinChunks } from "../../../internal/chunks.ts";
import { PushStream } from "../../framing/push_stream.ts";
import type { FilePreferences } from "./accept.ts";
import { fileHeaders, isPreferred } from "./files.ts";

const encoder = new TextEncoder();

/** Type of bytes that nothing is known of. */
const BYTES = "application/octet-stream";

/**
 * Sends the pieces of a call as they are, from the first one on: text, or the bytes of a file. Other pieces are collected for an answer
 * in JSON. A body that has begun cannot become an error: it is broken off.
 */
export class FileStream extends PushStream<Uint8Array, Uint8Array[]> implements Sink {
  /** Headers of the reply, known when the stream opens. */
  headers: Readonly<Record<string, string>> = {};
  /** Why the pieces cannot be sent as one body. */
  problem: string | undefined;
  readonly #preferences: FilePreferences;
  readonly #pieces = new PieceCollector();
  #toBytes: ((piece: unknown) => Uint8Array | undefined) | undefined;
  #hasBegun = false;

  /** @param onOpen Called with the body when the first piece is sent. */
  constructor(preferences: FilePreferences, onOpen: (body: ReadableStream<Uint8Array>) => void) {
    super({ encode: (bytes) => bytes, merge: append, encodeHeld: joinChunks, onOpen });
    this.#preferences = preferences;
  }

  /** Whether the pieces are the body; otherwise they are collected. */
  get isBody(): boolean {
    return this.#toBytes !== undefined;
  }

  get keepsPieces(): boolean {
    return !this.isBody;
  }

  push(event: CallEvent): void | Promise<void> {
    if (event.kind === "dropped" && this.isBody) return this.#fail("pieces are no longer kept");
    if (event.kind !== "partial") return;
    if (!this.#hasBegun) this.#begin(event.value);
    if (this.#toBytes === undefined) return this.#pieces.push(event);
    const bytes = this.#toBytes(event.value);
    if (bytes === undefined) return this.#fail("a piece is neither text nor bytes, as the first one");
    if (bytes.length > 0) return this.write(bytes);
  }

  /** The result, with the pieces that were collected. */
  join(result: CallResult): CallResult {
    return this.#pieces.join(result);
  }

  #begin(first: unknown): void {
    this.#hasBegun = true;
    const { textType } = this.#preferences;
    if (typeof first === "string") {
      if (textType !== undefined) this.#send({ type: textType, name: undefined }, textOf);
      return;
    }
    const file = readFileBlock(first);
    if (file === undefined) return;
    if (isPreferred(file, this.#preferences)) this.#send(file, bytesOf);
    else if (file.type === BYTES && textType !== undefined) this.#send({ ...file, type: textType }, bytesOf);
  }

  #send(file: Parameters<typeof fileHeaders>[0], toBytes: (piece: unknown) => Uint8Array | undefined): void {
    this.headers = fileHeaders(file);
    this.#toBytes = toBytes;
  }

  #fail(problem: string): void {
    this.problem = problem;
    this.breakOff(new Error(`The stream was broken off: ${problem}`));
  }
}

function textOf(piece: unknown): Uint8Array | undefined {
  return typeof piece === "string" ? encoder.encode(piece) : undefined;
}

function bytesOf(piece: unknown): Uint8Array | undefined {
  return readFileBlock(piece)?.bytes;
}

function append(held: Uint8Array[] | undefined, bytes: Uint8Array): Uint8Array[] {
  if (held === undefined) return [bytes];
  held.push(bytes);
  return held;
}
