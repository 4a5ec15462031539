// Options of the commands here. An unknown name prints the list of known names, and the command ends with 2.
import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";

/** One variable that scales rounds, calls and warm-up, so that CI runs the same at a hundredth. */
export const scale = orEnd({}, () => readPositive("BENCH_SCALE", process.env.BENCH_SCALE ?? "1"));

/**
 * What a command was asked.
 *
 * @param options Those of `parseArgs`.
 * @param read Makes what the command needs of the values; throws at what it does not know.
 */
export function readOptions(options, read = (values) => values) {
  return orEnd(options, () => read(parseArgs({ options }).values));
}

function orEnd(options, read) {
  try {
    return read();
  } catch (error) {
    console.error(error.message);
    for (const [name, { type, default: usual = "…" }] of Object.entries(options)) {
      console.error(`  --${name}${type === "string" ? ` ${usual}` : ""}`);
    }
    process.exit(2);
  }
}

export function readPositive(option, text) {
  const value = Number(text);
  if (!(value > 0 && value < Infinity)) throw new Error(`${option} must be a positive number, not ${text}`);
  return value;
}

/** A number of rounds or starts. */
export function readCount(option, text) {
  return Math.ceil(readPositive(option, text));
}

/** The named ones in the order of `known`; throws on a name that is not among them. */
export function readNames(option, list, known) {
  const names = list.split(",");
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`Unknown --${option} ${stranger}: known are ${known.join(", ")}`);
  return known.filter((name) => names.includes(name));
}

/** A file that can be written, which is known before the run and not after it. */
export function readTarget(option, path) {
  try {
    closeSync(openSync(path, "a"));
  } catch (cause) {
    throw new Error(`Cannot write ${option} ${path}: ${cause.message}`, { cause });
  }
  return path;
}
