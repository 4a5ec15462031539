/**
 * Checks that cost a tenth of what valibot's walk over a schema costs: validation is most of a call with large arguments.
 * Other libraries compile by themselves.
 *
 * @module
 */
import type { ExactCheck, SchemaAdapter } from "./adapter.ts";
import { CheckWriter } from "./check_writer.ts";
import type { Schema } from "./standard_schema.ts";
import { checkValibot } from "./valibot_check.ts";
import type { ValibotSchema } from "./valibot_json_schema.ts";

/** Compiles the checks of valibot's schemas, where the runtime lets code be made of text. */
export const compiledChecks: SchemaAdapter = { vendor: "valibot", compileCheck: compileExactCheck };

/** Sure of nothing: the schema decides. */
const UNSURE: ExactCheck = { accepts: () => false, copy: (value) => value };

/**
 * Makes the check of a schema of valibot.
 *
 * It knows the common parts of a schema, all that can be told exactly; a part that it does not know, a transformation, or a
 * runtime that makes no code of text, and the whole schema is left to its library. Checks are of JSON values: objects are
 * plain, and members are not `undefined`.
 */
export function compileExactCheck(schema: Schema): ExactCheck {
  try {
    const writer = new CheckWriter();
    const [accepts, copy] = writer.finish(checkValibot(schema as Schema & ValibotSchema, writer));
    return { accepts, copy };
  } catch {
    // What cannot be told exactly, be read, or be compiled.
    return UNSURE;
  }
}
