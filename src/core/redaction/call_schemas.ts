/** The schemas of a tool, which name the secrets of its calls. */

/** A compiled schema of which the redaction reads the JSON Schema. */
interface PreparedSchema {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

/** Schemas of the arguments, results and failures of a tool: the redaction finds secrets by them. A tool's definition has them. */
export interface CallSchemas {
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Schema of the answer; `undefined` for none. */
  readonly output?: PreparedSchema | undefined;
  /** Schema of each piece of a stream; `undefined` for none. */
  readonly partial?: PreparedSchema | undefined;
  /** Schemas of the data of failures, by their codes. */
  readonly errors?: ReadonlyMap<string, PreparedSchema | undefined> | undefined;
}

/** The schema of an answer; that of the streamed pieces, or a list of them, if it has none. References still start at the root. */
export function answerSchema({ output, partial }: CallSchemas): Readonly<Record<string, unknown>> | undefined {
  return output?.jsonSchema ?? (partial && { ...partial.jsonSchema, items: partial.jsonSchema });
}
