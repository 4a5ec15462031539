/** What a fuzzed server may answer: codes that a caller's fault can have, and nothing of what its handlers threw. */
import { ok } from "node:assert/strict";
import type { ToolErrorCode } from "../../../mod.ts";
import { MCP_LITE_CODES } from "../../wires/descriptions/mcp_lite.ts";

/** What the handlers of the fuzzed servers throw; no answer may contain it. */
export const SECRET = "the-secret-of-this-server";

/** Codes of the server's own faults. An expired deadline is the caller's. */
const FAULTS: ReadonlySet<string> = new Set(["internal", "unavailable", "result_too_large"]);

/** Asserts that a caller may get the code for what it sent. `mayBreak`: it may have called the tool that throws. */
export function assertCallerCode(code: unknown, mayBreak: boolean): ToolErrorCode {
  ok(typeof code === "string" && Object.hasOwn(MCP_LITE_CODES, code), `There is no code ${String(code)}`);
  ok(!FAULTS.has(code) || (mayBreak && code === "internal"), `${code} is a fault of the server`);
  return code as ToolErrorCode;
}

/** Whether a request names the tool that throws: only then the answer may be `internal`. */
export function mayBreak(sent: string): boolean {
  return sent.includes("boom");
}

/** Asserts that an answer has neither what was thrown, nor where. */
export function assertNoLeak(answer: string): void {
  ok(!answer.includes(SECRET), `It contains the secret: ${answer.slice(0, 500)}`);
  ok(
    !/\bat \S+ \(?\S+\.[tj]s:\d+|file:\/\/|node_modules/.test(answer),
    `It contains a place in the source: ${answer.slice(0, 500)}`,
  );
}
