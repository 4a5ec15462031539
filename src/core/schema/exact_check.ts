/**
 * Compiled checks of valibot schemas. They cost a tenth of valibot's own validation, which is most of a call with large
 * arguments. Other libraries compile their schemas themselves.
 */
import type { ExactCheck, SchemaAdapter } from "./adapter.ts";
import { CheckWriter } from "./check_writer.ts";
import type { Schema } from "./standard_schema.ts";
import { checkValibot } from "./valibot_check.ts";
import type { ValibotSchema } from "./valibot_json_schema.ts";

/** Schema adapter that compiles checks of valibot schemas, for `toolDefiner`. Without code generation, the schemas validate as usual. */
export const compiledChecks: SchemaAdapter = { vendor: "valibot", compileCheck: compileExactCheck };

/** Accepts nothing, so that the schema decides. */
const UNSURE: ExactCheck = { accepts: () => false, copy: (value) => value };

/**
 * Compiles the check of a valibot schema.
 *
 * Supports common schemas and actions. If a part is not supported, transforms its value, or the runtime forbids code
 * generation, the schema validates all values. Checks expect JSON values: plain objects without `undefined` members.
 */
export function compileExactCheck(schema: Schema): ExactCheck {
  try {
    const writer = new CheckWriter();
    const [accepts, copy] = writer.finish(checkValibot(schema as Schema & ValibotSchema, writer));
    return { accepts, copy };
  } catch {
    // Not supported, not readable, or not compilable.
    return UNSURE;
  }
}
