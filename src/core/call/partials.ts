import type { CallEvent, Sink } from "./outcome.ts";

/** The pieces of an answer as one value: strings are joined, anything else is kept as an array. */
export function joinPartials(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : [...pieces];
}

/** A sink that keeps the pieces, for whoever wants the whole. */
export class PieceCollector implements Sink {
  readonly #pieces: unknown[] = [];

  push(event: CallEvent): void {
    if (event.kind === "partial") this.#pieces.push(event.value);
  }

  /** How the call ended; an answer without a value is the pieces, joined. */
  join<Value extends object>(settled: Value): Value {
    const { kind, value } = settled as { readonly kind?: unknown; readonly value?: unknown };
    const isEmpty = kind === "answer" && value === undefined && this.#pieces.length > 0;
    return isEmpty ? { ...settled, value: joinPartials(this.#pieces) } : settled;
  }
}
