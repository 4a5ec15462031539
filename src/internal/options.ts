/**
 * Holds the options of a function to what they should be, where the function is called: a wrong name or value is told there, with
 * what to write instead, and not where it is first missed.
 *
 * @module
 */
import { nearest } from "./nearest.ts";

/** What an option has to be. */
export interface OptionRule {
  /** In words that follow "must be". */
  readonly expected: string;
  /** Whether a value is that. */
  readonly fits: (value: unknown) => boolean;
  /** Whether it cannot be left out. */
  readonly isRequired?: true;
  /** Whether it is a number. */
  readonly isNumber?: true;
}

/** A rule for every option that there is: a name without one is no option. */
export type OptionRules<Options extends object> = { readonly [Name in keyof Options]-?: OptionRule };

/** Whatever its own code checks. */
export const ANYTHING: OptionRule = rule("anything", () => true);
/** Yes or no. */
export const BOOLEAN: OptionRule = rule("true or false", (value) => typeof value === "boolean");
/** Text. */
export const TEXT: OptionRule = rule("text that is not empty", isText);
/** A function. */
export const FUNCTION: OptionRule = rule("a function", isFunction);
/** Named values. */
export const OBJECT: OptionRule = rule("an object", isObject);
/** Several texts, or none. */
export const TEXTS: OptionRule = rule("an array of texts", (value) => Array.isArray(value) && value.every(isText));
/** A number above 0, such as a duration. */
export const POSITIVE: OptionRule = {
  ...rule("a number above 0", (value) => Number.isFinite(value) && (value as number) > 0),
  isNumber: true,
};
/** What `fetch` takes as headers, or a function that gives it. */
export const HEADERS: OptionRule = rule("headers, or a function that gives them", (value) => {
  return isObject(value) || Array.isArray(value) || isFunction(value);
});
/** The path of a URL. */
export const PATH: OptionRule = rule(
  'like "/tools", without host, query or fragment',
  (value) => typeof value === "string" && /^[^\s?#\\]*$/.test(value) && !value.includes("://"),
);

/** Makes a rule. */
export function rule(expected: string, fits: (value: unknown) => boolean): OptionRule {
  return { expected, fits };
}

/** The rule for what cannot be left out. */
export function required(optional: OptionRule): OptionRule {
  return { ...optional, isRequired: true };
}

/** A whole number of at least so much. */
export function wholeNumber(least: number, of: string = ""): OptionRule {
  const expected = `a whole number${of === "" ? "" : ` of ${of}`}${least === 0 ? "" : ` above ${least - 1}`}`;
  return { ...rule(expected, (value) => Number.isSafeInteger(value) && (value as number) >= least), isNumber: true };
}

/** One of some words. */
export function oneOf(...words: readonly string[]): OptionRule {
  return rule(words.map((word) => `"${word}"`).join(" or "), (value) => words.includes(value as string));
}

/**
 * Holds options to their rules; one that is `undefined` was left out.
 *
 * @param action What cannot be done otherwise: `serve MCP`.
 * @throws {TypeError} If they are no object, there is no such option, one is missing, or is not of the right kind.
 * @throws {RangeError} If a number is not one that it may be.
 */
export function checkOptions<Options extends object>(
  action: string,
  options: unknown,
  rules: OptionRules<Options>,
): void {
  const names = Object.keys(rules);
  if (!isObject(options)) {
    throw new TypeError(`Cannot ${action}: options are an object with ${names.join(", ")}, not ${show(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(rules, name)) continue;
    const similar = nearest(name, names);
    const hint = similar === undefined ? `there are ${names.join(", ")}` : `did you mean "${similar}"?`;
    throw new TypeError(`Cannot ${action}: there is no option ${show(name)}; ${hint}`);
  }
  for (const [name, { expected, fits, isRequired, isNumber }] of Object.entries<OptionRule>(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined ? isRequired !== true : fits(value)) continue;
    const message = `Cannot ${action}: ${name} must be ${expected}, not ${show(value)}`;
    throw isNumber && typeof value === "number" ? new RangeError(message) : new TypeError(message);
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Values of objects may be secrets. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 64));
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null || typeof value === "function"
    ? typeof value === "function" ? "a function" : "an object"
    : String(value);
}
