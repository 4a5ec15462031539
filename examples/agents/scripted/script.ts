/**
 * A script in place of a hosted model. It makes the scripted calls, message by message, and at
 * last repeats the results of its tools.
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
 * @param results Results of its tools so far.
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
