/**
 * Checks that cost a tenth of what valibot's walk over a schema costs: validation is most of a call with large arguments.
 * Other libraries compile by themselves.
 *
 * @module
 */
import { CheckWriter } from "./check_writer.ts";
import type { Schema } from "./standard_schema.ts";
import { checkValibot } from "./valibot_check.ts";
import type { ValibotSchema } from "./valibot_json_schema.ts";

/** What a schema surely accepts, and leaves as it is. Never throws. */
export interface ExactCheck {
  /** Whether a value is that. */
  readonly accepts: (value: unknown) => boolean;
  /** A copy of what was accepted, as the schema itself would give it: objects and arrays of the reader's own. */
  readonly copy: (value: unknown) => unknown;
}

/** Sure of nothing: the schema decides. */
const UNSURE: ExactCheck = { accepts: () => false, copy: (value) => value };

/**
 * Makes the check of a schema of valibot; of others it is sure of nothing.
 *
 * It knows the common parts of a schema, all that can be told exactly; a part that it does not know, a transformation, or a
 * runtime that makes no code of text, and the whole schema is left to its library. Checks are of JSON values: objects are
 * plain, and members are not `undefined`.
 */
export function compileExactCheck(schema: Schema): ExactCheck {
  if (schema["~standard"].vendor !== "valibot") return UNSURE;
  try {
    const writer = new CheckWriter();
    const [accepts, copy] = writer.finish(checkValibot(schema as Schema & ValibotSchema, writer));
    return { accepts, copy };
  } catch {
    // What cannot be told exactly, be read, or be compiled.
    return UNSURE;
  }
}
