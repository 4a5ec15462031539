/** Shows why a module cannot be loaded: the place in the file, the message, and the frames of the module. */
import { inspect } from "node:util";
import { asObject } from "../../../src/internal/json.ts";
import { printable } from "../terminal/terminal.ts";

/** Frames of the program and the runtime: from the import on they say nothing of the module. */
const OWN_FRAME = /^\s+at (?:async )?(?:.*\bnode:internal\b|.*@stricli\/core)/;

/** Formats what the import of a module has thrown, without frames of the runtime and of this program. Control characters are escaped. */
export function formatLoadError(thrown: unknown): string {
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  return printable(errors.map((error) => formatPosition(error) ?? withoutOwnFrames(inspect(error))).join("\n"));
}

/** An error of Bun's parser: its position is not a part of its text. */
function formatPosition(thrown: unknown): string | undefined {
  const { position, message } = Object(thrown) as { readonly position?: unknown; readonly message?: unknown };
  const { file, line, column, lineText } = asObject(position);
  if (typeof file !== "string" || typeof line !== "number" || typeof column !== "number") return undefined;
  const text = typeof lineText === "string" ? `\n${lineText}\n${" ".repeat(Math.max(0, column - 1))}^` : "";
  return `${file}:${line}:${column}${text}\n${String(message)}`;
}

function withoutOwnFrames(text: string): string {
  const lines = text.replace(/ \{\n\s+code: '[^']*'\n\}$/, "").split("\n");
  const isImport = (line: string): boolean => /^\s+at (?:async )?importModule\b/.test(line);
  const end = lines.findIndex(isImport);
  // Members of the error follow its frames.
  const members = lines.findIndex((line, index) => index > end && !/^\s+at /.test(line));
  const kept = end < 0 ? lines : [...lines.slice(0, end), ...(members < 0 ? [] : lines.slice(members))];
  return kept.filter((line) => !OWN_FRAME.test(line)).join("\n");
}
