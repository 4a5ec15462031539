import type { AnswerOutcome, CallEvent, Sink } from "./outcome.ts";

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
  join<Ended extends { readonly kind: string }>(settled: Ended | AnswerOutcome): Ended | AnswerOutcome {
    if (settled.kind !== "answer" || this.#pieces.length === 0) return settled;
    const answer = settled as AnswerOutcome;
    return answer.value === undefined ? { ...answer, value: joinPartials(this.#pieces) } : answer;
  }
}
