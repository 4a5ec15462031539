/** Validates options at the call, so that an unknown or invalid option fails immediately with a suggestion. */
import { closestMatch } from "./closest_match.ts";

/** Rule for the value of one option, for {@link checkOptions}. An option without a value passes, unless it is required. */
export interface OptionRule {
  /** Description that follows "must be". */
  readonly expected: string;
  /** Whether a value is valid. */
  readonly fits: (value: unknown) => boolean;
  /** Whether the option is required. */
  readonly isRequired?: true;
  /** Describes a value that is not valid, and what to write in its place. `undefined` leaves it to the description of any option. */
  readonly describe?: ((value: unknown) => string | undefined) | undefined;
}

/** Rules of {@link checkOptions} for all options of a function, by name. Other names are unknown options. */
export type OptionRules<Options extends object> = { readonly [Name in keyof Options]-?: OptionRule };

/** Levels of log lines, in ascending order. A logger has a function of each name. */
export const LINE_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Accepts any value, for options with their own validation. */
export const ANYTHING: OptionRule = { expected: "anything", fits: () => true };
export const BOOLEAN: OptionRule = { expected: "true or false", fits: (value) => typeof value === "boolean" };
/** A string that is not empty. */
export const TEXT: OptionRule = { expected: "text that is not empty", fits: isText };
export const FUNCTION: OptionRule = { expected: "a function", fits: isFunction };
/** A logger, such as `console`. */
export const LOGGER: OptionRule = {
  expected: "an object with the functions debug, info, warn and error, such as console",
  fits: (value) => LINE_LEVELS.every((level) => isFunction((value as Partial<Console> | null)?.[level])),
};
export const OBJECT: OptionRule = { expected: "an object", fits: isObject };
/** An array of strings, none of them empty. The array itself may be empty. */
export const TEXTS: OptionRule = {
  expected: "an array of texts",
  fits: (value) => Array.isArray(value) && value.every(isText),
};
/** A number above 0, such as a duration. */
export const POSITIVE: OptionRule = {
  expected: "a number above 0",
  fits: (value) => Number.isFinite(value) && (value as number) > 0,
};
/** A number of at least 1, such as a duration in milliseconds. `Infinity` is valid. */
export const AT_LEAST_1: OptionRule = {
  expected: "a number of at least 1",
  fits: (value) => typeof value === "number" && value >= 1,
};
/** Headers for `fetch`, as an object or array, or a function that returns them. Names and values are not checked. */
export const HEADERS: OptionRule = {
  expected: "headers, or a function that gives them",
  fits: (value) => isObject(value) || Array.isArray(value) || isFunction(value),
};
/** The path of a URL, without host, query or fragment. The empty path and one without its first slash are valid. */
export const PATH: OptionRule = {
  expected: 'like "/tools", without host, query or fragment',
  fits: (value) => typeof value === "string" && /^(?!.*:\/\/)[^\s?#\\]*$/.test(value),
};

export function rule(expected: string, fits: OptionRule["fits"]): OptionRule {
  return { expected, fits };
}

/**
 * Creates the rule for an array of such items. The error names the first item that is not one.
 *
 * @param advise Returns what to write in place of an item.
 */
export function arrayOf(
  items: string,
  fits: OptionRule["fits"],
  advise: (item: unknown) => string | undefined = () => undefined,
): OptionRule {
  return {
    expected: `an array of ${items}`,
    fits: (value) => Array.isArray(value) && value.every(fits),
    describe(value) {
      if (!Array.isArray(value)) return fits(value) ? "one of them: write it in [ … ]" : undefined;
      const item: unknown = value.find((one) => !fits(one));
      const advice = advise(item);
      return `an array with ${show(item)}${advice === undefined ? "" : `: write ${advice}`}`;
    },
  };
}

export function required(optional: OptionRule): OptionRule {
  return { ...optional, isRequired: true };
}

/** Creates the rule for a whole number of at least `least`. `of` is its unit in the error message, such as `bytes`. */
export function wholeNumber(least: number, of: string = ""): OptionRule {
  return {
    expected: `a whole number${of && ` of ${of}`}${least > 0 ? ` above ${least - 1}` : ""}`,
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  };
}

/** Creates the rule for one of several strings. */
export function oneOf(...words: readonly string[]): OptionRule {
  return rule(words.map((word) => `"${word}"`).join(" or "), (value) => words.includes(value as string));
}

/**
 * Validates the options of a function by their rules. `undefined` is treated as missing. An unknown name is an error, with a suggestion.
 *
 * @param action Failed action for the error message: `serve MCP`.
 * @throws {TypeError} If the options are not an object, one is unknown or missing, or has the wrong type.
 * @throws {RangeError} If a number is out of range.
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
    if (known === undefined) return fail(unknownOption(name, names));
    const given = known.describe?.(value) ?? show(value, name);
    fail(`${name} must be ${known.expected}, not ${given}`, typeof value === "number" ? RangeError : TypeError);
  }
}

/** Returns the problem for an error message: there is no such option, with the closest known name, or all names. */
export function unknownOption(name: string, names: readonly string[]): string {
  const similar = closestMatch(name, names);
  return `there is no option "${name}"; ${similar ? `did you mean "${similar}"?` : `there are ${names.join(", ")}`}`;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFunction(value: unknown): value is (...args: never) => unknown {
  return typeof value === "function";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Does not show members of objects, which may be secrets. @param option Name of the option that the value was given to. */
function show(value: unknown, option?: string): string {
  if (typeof value === "string") return JSON.stringify(value).slice(0, 64);
  // The function in place of its result, such as memoryEngine for memoryEngine(). One without a name gets that of the option.
  const [called] = [value].flat().filter(isFunction);
  if (called !== undefined) {
    return called.name && called.name !== option ? `a function: call it, ${called.name}()` : "a function";
  }
  if (Array.isArray(value)) return "this array";
  return Object(value) === value ? "an object" : String(value);
}
