/** Finds numbers that JSON cannot carry exactly. */
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { formatArgumentPath } from "./assignments.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{},:]/g;

/**
 * Rejects integers that a JavaScript number cannot hold exactly, and numbers beyond its range. Decimals may be rounded.
 *
 * @param json Text that is JSON.
 * @throws {CliError} If there is such a number; the message has its place.
 */
export function assertExactNumbers(json: string): void {
  const path: (string | number)[] = [];
  let text = "";
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === "[") path.push(0);
    else if (token === "{") path.push("");
    else if (token === "]" || token === "}") path.pop();
    else if (token === ":") path[path.length - 1] = JSON.parse(text) as string;
    else if (token === ",") countItem(path);
    else if (token.startsWith('"')) text = token;
    else assertExact(token, path);
  }
}

/** A comma between items; between members it changes nothing. */
function countItem(path: (string | number)[]): void {
  const last = path.at(-1);
  if (typeof last === "number") path[path.length - 1] = last + 1;
}

function assertExact(number: string, path: readonly (string | number)[]): void {
  const value = Number(number);
  const isInteger = /^-?\d+$/.test(number);
  if (Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value) || BigInt(number) === BigInt(value))) return;
  const place = path.length === 0 ? "" : ` at ${formatArgumentPath(path)}`;
  const problem = isInteger ? "would lose digits: JSON numbers are exact up to 2^53 - 1" : "is too large for JSON";
  throw new CliError(EXIT.usage, `The number ${number}${place} ${problem}`, {
    hint: "Send it as text, if the tool accepts that",
  });
}
