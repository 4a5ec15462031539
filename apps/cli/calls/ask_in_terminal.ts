/** Answers questions of tools for programs of users, as the program `toolwire` does. */
import process from "node:process";
import type { AnswerQuestion, QuestionAnswer, ToolQuestion } from "../../../src/client/types.ts";
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import type { CliProcess } from "../terminal/process.ts";
import { Terminal } from "../terminal/terminal.ts";
import { QuestionAnswerer } from "./answer_questions.ts";

/**
 * Returns a function for `onElicitation` and `onMoreRequested` that asks the person at the terminal: each field of a form by its schema,
 * secret ones hidden, again while an answer does not fit; a page to visit, a grant, or the answer of a model. Prompts are written to
 * standard error, one question after the other. Ctrl+C and Escape cancel the question. A request for the folders of the user is declined.
 *
 * Works on Node, Bun and Deno. Needs the package `@clack/prompts`, which is installed with Toolwire.
 *
 * @example
 * ```ts check
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { askInTerminal } from "jsr:@toolwire/toolwire/cli";
 *
 * const ask = askInTerminal();
 * const client = createClient("http://localhost:8000", { onElicitation: ask, onMoreRequested: ask });
 * await client.$.call("delete_record", { id: "7" });
 * ```
 * @returns A function that throws `invalid_request` if standard input and standard error are not a terminal, or if `CI` is `true`.
 */
export function askInTerminal(): AnswerQuestion {
  const host: CliProcess = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: readEnvironment(),
    cwd: "",
  };
  const terminal = new Terminal(host);
  const answerer = new QuestionAnswerer({}, { terminal, host });
  let last: Promise<unknown> = Promise.resolve();
  return (question) => {
    if (question.kind === "roots") return { action: "decline" };
    if (!terminal.isInteractive) throw noTerminal(question);
    // Calls run at the same time, and a person reads one question at a time.
    const answer = last.then(() => ask(answerer, question));
    last = answer.catch(() => {});
    return answer;
  };
}

async function ask(answerer: QuestionAnswerer, question: ToolQuestion): Promise<QuestionAnswer> {
  const { [question.key]: answer } = await answerer.answer({ [question.key]: question });
  return answer ?? { action: "cancel" };
}

function noTerminal({ key, tool, message }: ToolQuestion): ToolError {
  return new ToolError(
    "invalid_request",
    `Cannot ask the question ${
      JSON.stringify(key)
    } of tool "${tool}": askInTerminal() needs a terminal as standard input and standard ` +
      `error, and no CI=true; answer it by another onElicitation. The question: ${message}`,
  );
}

/** What the terminal depends on. On Deno without `--allow-env` there is none of it. */
function readEnvironment(): CliProcess["env"] {
  try {
    const { CI, NO_COLOR, TERM } = process.env;
    return { CI, NO_COLOR, TERM };
  } catch {
    return {};
  }
}
