/**
 * What stands in for a hosted model here: a script. Such a model makes the calls that it was told to, message by message, and at
 * last repeats what its tools have said.
 *
 * @module
 */

/** One call of a tool, by the name that the model knows. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls of each message. */
export type Script = readonly (readonly ScriptedCall[])[];

/** What the model says next. */
export type ScriptedTurn =
  | { readonly text: string }
  | { readonly calls: readonly (ScriptedCall & { readonly id: string })[] };

/**
 * The model's next message.
 *
 * @param round How many messages with calls it has sent.
 * @param results What its tools have said so far.
 */
export function nextTurn(
  script: Script,
  round: number,
  results: readonly string[],
): ScriptedTurn {
  const calls = script[round];
  if (calls === undefined) return { text: results.join("\n") };
  return {
    calls: calls.map((call, index) => ({
      ...call,
      id: `call_${round}_${index}`,
    })),
  };
}
