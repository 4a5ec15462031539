/**
 * Numbers and lists as a reader expects them in English prose. Pure text.
 *
 * @module
 */

/** Writes one number. */
export type NumberFormat = (value: number) => string;

const wholeFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const dateFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const decimalFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

/** Writes a whole number with thousands separators: `3,201`. */
export function formatCount(value: number): string {
  return wholeFormat.format(value);
}

/** Writes a number with at most two decimals: `6.28`; very small ones keep two significant digits. */
export function formatDecimal(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.01) return String(Number(value.toPrecision(2)));
  return decimalFormat.format(value);
}

/** Writes a year, which takes no separators. */
export function formatYear(value: number): string {
  return String(Math.round(value));
}

/** Writes an amount of money in words and figures: `$2.77 billion`, `$460.9 million`, `$26,403`. */
export function formatDollars(value: number): string {
  // The limits sit where rounding would reach the next word, so that no "$1,000 million" is ever written.
  if (Math.abs(value) >= 999_950_000) return `$${decimalFormat.format(value / 1e9)} billion`;
  if (Math.abs(value) >= 999_500) return `$${formatDecimal(Math.round(value / 1e5) / 10)} million`;
  return `$${formatCount(value)}`;
}

/** Writes a number with exactly one decimal, for scales that are read that way: `7.0`. */
export function formatTenths(value: number): string {
  return value.toFixed(1);
}

/** Writes an ISO date as prose does: `1998-06-12` is `12 June 1998`. */
export function formatDate(isoDate: string): string {
  return dateFormat.format(new Date(isoDate));
}

/** Writes a share of a whole: `25%`, `0.4%`, and `under 0.1%` where rounding would say zero. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  const percent = (part / whole) * 100;
  if (percent < 0.1) return "under 0.1%";
  // A share just short of everything must not be rounded up to everything.
  if (percent > 99 && part < whole) return "over 99%";
  return percent < 1 ? `${percent.toFixed(1)}%` : `${Math.round(percent)}%`;
}

/** Joins words as prose does: `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** Writes a count with the noun that fits it: `1 film`, `3,201 films`. */
export function countNoun(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Puts a capital on the first letter and leaves the rest alone. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Writes a point on the globe: `41.98° N, 87.9° W`. */
export function formatPoint(latitude: number, longitude: number): string {
  const north = `${formatDecimal(Math.abs(latitude))}° ${latitude < 0 ? "S" : "N"}`;
  return `${north}, ${formatDecimal(Math.abs(longitude))}° ${longitude < 0 ? "W" : "E"}`;
}
