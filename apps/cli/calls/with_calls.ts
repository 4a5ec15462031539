/** Opens a target for a command that waits for a result, and ends the call if the user interrupts. */
import { Failure } from "../../../src/core/errors/failure.ts";
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { signatureOf } from "../../../src/core/json_schema/signature.ts";
import { delay } from "../../../src/internal/time.ts";
import { CliError, toReportedError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { openTarget } from "../targets/open.ts";
import { takeTarget, type Target } from "../targets/target.ts";
import { readInput } from "../terminal/read_input.ts";
import { printable, printableLine } from "../terminal/terminal.ts";
import { QuestionAnswerer } from "./answer_questions.ts";
import type { ResultFlags } from "./call_flags.ts";
import { type CallListener, CallRunner } from "./run_call.ts";

/** Time in which a second Ctrl+C cancels the work of a promise, in milliseconds. */
const SECOND_MS = 2_000;
/** Time for the cancellation of an interrupted request to leave this process, in milliseconds. */
const FAREWELL_MS = 200;

/** Opens a target. Questions become outcomes of its calls, log messages are printed on standard error. To be closed by the caller. */
export function openForCalls(target: Target, flags: ResultFlags, context: CliContext): Promise<TargetConnection> {
  return openTarget(target, flags, context, {
    signal: context.interruption(),
    isQuiet: flags.json === true || flags.ndjson === true,
    // Questions of all kinds become outcomes of the call, which this program answers.
    prepare(transport) {
      transport.relayQuestions(undefined, { isOfOneUser: true });
      transport.logging.onMessage(({ level, data }) => {
        const text = typeof data === "string" ? data : JSON.stringify(data);
        context.terminal.note(context.terminal.styleNote("dim", `${level}: ${printable(text)}`));
      });
    },
  });
}

/** Creates the runner of one call. Flags give its time limit, idempotency key and answers; a person gives other answers. */
export function createRunner(
  connection: TargetConnection,
  flags: ResultFlags & { readonly key?: string },
  context: CliContext,
  listener: CallListener,
): CallRunner {
  const answerer = new QuestionAnswerer(flags, context);
  return new CallRunner(connection.transport, {
    signal: context.interruption(),
    timeoutMs: flags.timeout,
    idempotencyKey: flags.key,
    answer: (questions) => answerer.answer(questions),
  }, listener);
}

/** Options of {@link untilInterrupted}. */
export interface ResultWait {
  /** The called tool, whose signature is printed if the arguments are refused. */
  readonly tool?: ListedTool | undefined;
  /** Whether an interruption leaves the work running. Otherwise the call is cancelled. */
  readonly stopsWaiting?: boolean;
  /** Target of the call as it was typed, if the work of its promise continues without this process. Otherwise that is cancelled, too. */
  readonly detachesFrom?: string | undefined;
}

/**
 * Waits for `work`. Ctrl+C cancels the call, unless `stopsWaiting`, and returns exit code 130; a promised one continues at its server
 * unless Ctrl+C comes again. Other errors are thrown, with a hint.
 */
export async function untilInterrupted(
  work: () => Promise<void>,
  runner: CallRunner,
  context: CliContext,
  { tool, stopsWaiting = false, detachesFrom }: ResultWait = {},
): Promise<ExitCode> {
  try {
    await work();
    return EXIT.ok;
  } catch (thrown) {
    if (!context.interruption().aborted) throw explain(thrown, runner.token, tool);
    const { terminal } = context;
    terminal.status.end();
    const { token } = runner;
    if (stopsWaiting) terminal.note("Interrupted; the work continues");
    else if (token === undefined || detachesFrom === undefined) terminal.note(await cancelCall(runner));
    else await detach(runner, token, detachesFrom, context);
    return EXIT.interrupted;
  }
}

/** Leaves the work of a promise to its server, and prints how to continue; cancels it if Ctrl+C comes again. */
async function detach(runner: CallRunner, token: string, target: string, context: CliContext): Promise<void> {
  const { terminal } = context;
  const again = new AbortController();
  const unsubscribe = context.onNextInterruption(() => again.abort());
  terminal.note(
    ["Detached; the work continues. Press Ctrl+C again to cancel it", ...promiseCommands(target, token)].join("\n"),
  );
  const isLeft = await delay(SECOND_MS, again.signal);
  unsubscribe();
  if (!isLeft) terminal.note(await cancelCall(runner));
}

/** The commands that wait for a promise, and that cancel its work. */
function promiseCommands(target: string, token: string): readonly [string, string] {
  // What a shell would read in another way is not for copying.
  const word = /^[\w.:/@-]+$/.test(target) ? target : "<target>";
  return [`  toolwire redeem ${word} ${token}`, `  toolwire cancel ${word} ${token}`];
}

/** Cancels a call after an interruption. Returns the message about it. */
async function cancelCall(runner: CallRunner): Promise<string> {
  const isDeferred = runner.token !== undefined;
  const isConfirmed = await runner.cancel();
  // Requests of a connection are cancelled by a message, which has to leave this process.
  if (!isDeferred) await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
  if (isDeferred && !isConfirmed) return "Interrupted; the server has not confirmed that the work is cancelled";
  return "Interrupted; the call is cancelled";
}

/** Adds to an error what to do: the signature after refused arguments, the token after a lost connection. */
function explain(thrown: unknown, token: string | undefined, tool: ListedTool | undefined): unknown {
  if (thrown instanceof CliError || thrown instanceof Failure || !(thrown instanceof ToolError)) return thrown;
  const { exitCode, code, message, data } = toReportedError(thrown);
  const hint = hintOf(thrown, token, tool);
  return new CliError(exitCode, message, { code, data, step: "call", hint, cause: thrown });
}

function hintOf({ code }: ToolError, token: string | undefined, tool: ListedTool | undefined): string | undefined {
  if (code === "invalid_input" && tool !== undefined) return printableLine(describeSignature(tool));
  const isLost = code === "unavailable" || code === "deadline_exceeded" || code === "rate_limited";
  return isLost && token !== undefined ? `Continue with: toolwire redeem <target> ${token}` : undefined;
}

/** Returns a tool as `add(a: number, b: number) => number`, for messages. Foreign text, not escaped. */
function describeSignature({ name, inputSchema, outputSchema }: ListedTool): string {
  return `${name}${signatureOf(inputSchema ?? {}, outputSchema)}`;
}

/** Splits the words of a command into target and token; `-` reads the token from standard input. Throws a `CliError` if one is missing. */
export async function takeToken(
  words: readonly string[],
  context: CliContext,
): Promise<{ readonly target: Target; readonly token: string }> {
  const { target, rest: [word, ...others] } = takeTarget(words, context);
  if (others.length > 0) throw new CliError(EXIT.usage, `There is one argument too many: ${JSON.stringify(others[0])}`);
  const token = word === "-" ? (await readInput(context.host)).trim() : word;
  if (token === undefined || token === "") {
    throw new CliError(EXIT.usage, "The promise token is missing", { hint: "toolwire call … --detach prints it" });
  }
  return { target, token };
}
