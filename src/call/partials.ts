/** The pieces of an answer as one value: strings are joined, anything else is kept as an array. */
export function joinPartials(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : [...pieces];
}
