/**
 * Holds the options of a function to what they should be, where the function is called: a wrong name or value is told there, with
 * what to write instead, and not where it is first missed.
 *
 * @module
 */
import { closestMatch } from "./text.ts";

/** What an option has to be. */
export interface OptionRule {
  /** In words that follow "must be". */
  readonly expected: string;
  /** Whether a value is that. */
  readonly fits: (value: unknown) => boolean;
  /** Whether it cannot be left out. */
  readonly isRequired?: true;
}

/** A rule for every option that there is: a name without one is no option. */
export type OptionRules<Options extends object> = { readonly [Name in keyof Options]-?: OptionRule };

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** Whatever its own code checks. */
export const ANYTHING: OptionRule = { expected: "anything", fits: () => true };
/** Yes or no. */
export const BOOLEAN: OptionRule = { expected: "true or false", fits: (value) => typeof value === "boolean" };
/** Text. */
export const TEXT: OptionRule = { expected: "text that is not empty", fits: isText };
/** A function. */
export const FUNCTION: OptionRule = { expected: "a function", fits: isFunction };
/** A logger, such as `console`. */
export const LOGGER: OptionRule = {
  expected: "an object with the functions debug, info, warn and error, such as console",
  fits: (value) => LEVELS.every((level) => isFunction((value as Partial<Console> | null)?.[level])),
};
/** Named values. */
export const OBJECT: OptionRule = { expected: "an object", fits: isObject };
/** Several texts, or none. */
export const TEXTS: OptionRule = {
  expected: "an array of texts",
  fits: (value) => Array.isArray(value) && value.every(isText),
};
/** A number above 0, such as a duration. */
export const POSITIVE: OptionRule = {
  expected: "a number above 0",
  fits: (value) => Number.isFinite(value) && (value as number) > 0,
};
/** A number of at least 1, such as a duration in milliseconds. */
export const AT_LEAST_1: OptionRule = {
  expected: "a number of at least 1",
  fits: (value) => typeof value === "number" && value >= 1,
};
/** What `fetch` takes as headers, or a function that gives it. */
export const HEADERS: OptionRule = {
  expected: "headers, or a function that gives them",
  fits: (value) => isObject(value) || Array.isArray(value) || isFunction(value),
};
/** The path of a URL. */
export const PATH: OptionRule = {
  expected: 'like "/tools", without host, query or fragment',
  fits: (value) => typeof value === "string" && /^(?!.*:\/\/)[^\s?#\\]*$/.test(value),
};

/** Makes a rule. */
export function rule(expected: string, fits: OptionRule["fits"]): OptionRule {
  return { expected, fits };
}

/** The rule for what cannot be left out. */
export function required(optional: OptionRule): OptionRule {
  return { ...optional, isRequired: true };
}

/** A whole number of at least so much. */
export function wholeNumber(least: number, of: string = ""): OptionRule {
  return {
    expected: `a whole number${of && ` of ${of}`}${least > 0 ? ` above ${least - 1}` : ""}`,
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  };
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
  const fail = (problem: string, Kind: typeof RangeError | typeof TypeError = TypeError): never => {
    throw new Kind(`Cannot ${action}: ${problem}`);
  };
  if (!isObject(options)) return fail(`options are an object, not ${show(options)}`);
  for (const name of new Set([...Object.keys(options), ...names])) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    const known = Object.hasOwn(rules, name) ? rules[name as keyof Options] : undefined;
    if (value === undefined ? !known?.isRequired : known?.fits(value)) continue;
    if (known === undefined) {
      const similar = closestMatch(name, names);
      return fail(`there is no option "${name}"; ${similar ? `did you mean "${similar}"?` : `there are ${names}`}`);
    }
    fail(`${name} must be ${known.expected}, not ${show(value)}`, typeof value === "number" ? RangeError : TypeError);
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

/** Members of objects may be secrets. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value).slice(0, 64);
  return isFunction(value) ? "a function" : Object(value) === value ? "an object" : String(value);
}
