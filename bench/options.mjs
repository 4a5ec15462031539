// What the commands here take from their callers.
import process from "node:process";

/** One variable that scales rounds, calls and warm-up, so that CI runs the same at a hundredth. */
export const scale = readPositive("BENCH_SCALE", process.env.BENCH_SCALE ?? "1");

export function readPositive(option, text) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${option} must be a positive number, not ${text}`);
  return value;
}

/** The named ones in the order of `known`; throws on a name that is not among them. */
export function readNames(option, list, known) {
  const names = list.split(",");
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`Unknown --${option} ${stranger}: known are ${known.join(", ")}`);
  return known.filter((name) => names.includes(name));
}
