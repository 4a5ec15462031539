/** Prints the error that ended a command. */
import { isToolErrorCode } from "../../src/core/errors/code.ts";
import { isJsonObject } from "../../src/internal/json.ts";
import type { ReportedError } from "./cli_error.ts";
import { printable, type Terminal } from "./terminal/terminal.ts";

/** Prints an error on standard error: message, code, issues of the input, a failed clean-up, a hint and the address of the code as text, or with `isJson` one line `{"error":{…}}`. */
export function printError(terminal: Terminal, error: ReportedError, isJson: boolean): void {
  const { exitCode: _, ...fields } = error;
  if (isJson) return terminal.note(printable(JSON.stringify({ error: fields })));
  const { message, code, step, hint, data, cleanUp } = error;
  const label = step === undefined ? "" : `${step}: `;
  const suffix = code === "usage" || code === "unexpected" || code === "interrupted" ? "" : ` (${code})`;
  terminal.note(
    terminal.styleNote("red", printable(`${label}${message}`)) + terminal.styleNote("dim", printable(suffix)),
  );
  const issues = issueLines(data).filter((line, _, { length }) =>
    length > 1 || !message.includes(line.replace(/^.*?: /, ""))
  );
  for (const line of issues) terminal.note(`  ${printable(line)}`);
  if (isFailureData(error) && issues.length === 0) terminal.note(`  ${printable(JSON.stringify(data))}`);
  if (cleanUp !== undefined) terminal.note(printable(`  The clean-up failed, too: ${cleanUp}`));
  const suggestion = hint ?? suggestionOf(data);
  if (suggestion !== undefined) terminal.note(printable(suggestion));
  const isExplained = isToolErrorCode(code) && code !== "cancelled";
  if (isExplained) terminal.note(terminal.styleNote("dim", `docs/errors.md#${code} says what to do`));
}

/** Whether an error has data of a tool, in place of details of the SDK. */
function isFailureData({ code, data }: ReportedError): boolean {
  return data !== undefined && data !== null && code !== "usage" && !isToolErrorCode(code) && code !== "question";
}

/** Issues of `invalid_input`, one line each. */
function issueLines(data: unknown): readonly string[] {
  const issues = isJsonObject(data) && Array.isArray(data["issues"]) ? data["issues"] : [];
  return issues.filter(isJsonObject).map(({ path, message, expected }) => {
    const place = Array.isArray(path) ? path.join(".") : "";
    return `${place === "" ? "" : `${place}: `}${message ?? `expected ${expected}`}`;
  });
}

function suggestionOf(data: unknown): string | undefined {
  const suggestion = isJsonObject(data) ? data["suggestion"] : undefined;
  return typeof suggestion === "string" ? suggestion : undefined;
}
