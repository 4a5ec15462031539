/** Pieces of a streamed answer that are kept with its job: numbered from 0, and bounded, so that the oldest are dropped. */
import type { CallEvent } from "../../core/call/outcome.ts";
import type { JobPieces } from "../../core/dispatch/engine.ts";
import type { Json } from "../../internal/json.ts";

/** Largest length of the pieces of a job together, in UTF-16 code units of JSON: each write of the job writes all of them. */
const MAX_CHARS = 262_144;

const NONE: JobPieces = { from: 0, values: [] };

/** The pieces that a run keeps with its job. A run that follows another one yields the pieces of that one again; they are kept once. */
export class KeptPieces {
  #from: number;
  readonly #values: Json[];
  readonly #sizes: number[];
  #chars: number;
  /** Number of pieces of the run that were looked at. */
  #taken = 0;

  constructor({ from, values }: JobPieces = NONE) {
    this.#from = from;
    this.#values = [...values];
    this.#sizes = values.map(sizeOf);
    this.#chars = this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Takes the pieces of the run that are new. Returns whether there were any. */
  take(collected: readonly unknown[] = []): boolean {
    const end = this.#from + this.#values.length;
    for (; this.#taken < collected.length; this.#taken++) {
      if (this.#taken >= end) this.#add(collected[this.#taken]);
    }
    return this.#from + this.#values.length > end;
  }

  /** What is stored with the job; `undefined` without pieces. */
  get stored(): JobPieces | undefined {
    const isEmpty = this.#from === 0 && this.#values.length === 0;
    return isEmpty ? undefined : { from: this.#from, values: [...this.#values] };
  }

  #add(piece: unknown): void {
    const value = toJson(piece);
    const size = sizeOf(value);
    this.#values.push(value);
    this.#sizes.push(size);
    this.#chars += size;
    while (this.#chars > MAX_CHARS) {
      this.#values.shift();
      this.#chars -= this.#sizes.shift() ?? 0;
      this.#from++;
    }
  }
}

/** Reads the pieces of a job from a number on, as events for its caller. */
export class PieceReader {
  /** Number of the next piece. */
  #next: number;

  constructor(next: number) {
    this.#next = next;
  }

  /** The events for the pieces that were not read yet: one for those that were dropped, and one for each of the others. */
  *read({ from, values }: JobPieces = NONE): Generator<CallEvent> {
    if (from > this.#next) {
      yield { kind: "dropped", from: this.#next, to: from };
      this.#next = from;
    }
    for (; this.#next < from + values.length; this.#next++) {
      yield { kind: "partial", value: values[this.#next - from] };
    }
  }
}

function sizeOf(value: Json): number {
  return JSON.stringify(value).length;
}

/** A copy. A piece that cannot be written as JSON is `null`: the answer, which contains it, becomes an error. */
function toJson(piece: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(piece) ?? "null");
  } catch {
    return null;
  }
}
