/**
 * Code mode for servers with many tools or bulky answers: a model writes a program that calls tools, and reads what the program returns.
 * A server needs it if models carry answers from call to call that they only filter, count or pass on.
 *
 * @example A program in place of three calls
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { codeMode, quickjs } from "jsr:@toolwire/toolwire/code";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const price = defineTool("price_of").describe("Look up the price of a product").handle(() => 4);
 * const server = createServer({ tools: [price], discovery: codeMode({ executor: quickjs() }) });
 * const source = "const prices = await Promise.all([1, 2, 3].map((id) => tools.price_of({ id }))); return Math.max(...prices)";
 * const { value } = await testClient(server).$.call("run_code", { source }) as { value: number };
 * console.log(value); // → 4
 * await server.close();
 * ```
 *
 * @module
 */
export { codeMode, type CodeModeOptions } from "../server/code_mode/code_mode.ts";
export type { ProgramLimits } from "../server/code_mode/limits.ts";
export type { ProgramAnswer } from "../server/code_mode/program_answer.ts";
export type { ProgramProblem } from "../server/code_mode/program_error.ts";
export type { DescribedTools } from "../server/code_mode/declarations.ts";
export { quickjs, type QuickJsOptions } from "../sandbox/quickjs/quickjs.ts";
export type {
  Executor,
  Guest,
  GuestCall,
  GuestError,
  GuestLimits,
  GuestProgram,
  GuestResult,
  GuestTurn,
} from "../sandbox/executor.ts";
