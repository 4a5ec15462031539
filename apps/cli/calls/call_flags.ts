/** Flags of the commands that call: questions and output. */
import type { FlagParametersForType } from "@stricli/core";
import type { CliContext } from "../context.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import type { QuestionFlags } from "./answer_questions.ts";
import type { CallOutputFlags } from "./call_printer.ts";

/** Flags of a command that waits for a result, such as `call` and `redeem`: of the target, of questions and of the output. */
export interface ResultFlags extends TargetFlags, QuestionFlags, CallOutputFlags {}

/** Flags of {@link ResultFlags}, for the parser. */
export const RESULT_FLAGS: FlagParametersForType<ResultFlags, CliContext> = {
  ...TARGET_FLAGS,
  answer: {
    kind: "parsed",
    parse: String,
    optional: true,
    variadic: true,
    placeholder: "name=value",
    brief: "Field of a question's form; may be repeated",
  },
  yes: { kind: "boolean", optional: true, brief: "Accept questions: defaults of forms, grants, pages" },
  noAsk: {
    kind: "boolean",
    optional: true,
    brief: "Never ask in the terminal; end with exit code 6",
    withNegated: false,
  },
  json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
  ndjson: { kind: "boolean", optional: true, brief: "One JSON object for each piece, progress and result" },
};
