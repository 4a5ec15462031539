/**
 * Writes a check as JavaScript: conditions on values, as text.
 *
 * A check accepts a subset of what its schema accepts, and only what that leaves as it is. Whatever it refuses, the schema
 * decides, and words.
 *
 * @module
 */

/** A condition on values. */
export interface Condition {
  /** Writes it for the variable that is named. It never throws, and looks at each member once. */
  readonly on: (name: string) => string;
  /** Whether its schema changes nothing of anything that it accepts. Default: it may. */
  readonly isLossless?: boolean;
  /** Whether an object may lack such a member, and stays as it is. Default: it may not. */
  readonly mayBeAbsent?: boolean;
}

/** Thrown by who writes a check, when none can be exact. */
export class Inexact extends Error {}

/** Names that objects have without having been given them. */
const INHERITED = Object.prototype;

/** Holds what a check is made of, besides its conditions. */
export class CheckWriter {
  readonly #held: unknown[] = [];
  #functions = "";
  #count = 0;

  /** Makes the check. Throws where code may not be made of text. */
  finish({ on }: Condition): (value: unknown) => boolean {
    return new Function("held", `${this.#functions}return v=>${on("v")}`)(this.#held);
  }

  /** Names a value that has no text. */
  hold(value: unknown): string {
    return `held[${this.#held.push(value) - 1}]`;
  }

  /** One of some constants. */
  oneOf(values: readonly unknown[]): Condition {
    const held = this.hold(new Set(values));
    const [only] = values;
    const text = values.length === 1 && typeof only === "string" ? JSON.stringify(only) : undefined;
    return { isLossless: true, on: (v) => text === undefined ? `${held}.has(${v})` : `${v}===${text}` };
  }

  /** An array; of a tuple each item has its own condition. */
  array(item: Condition | readonly Condition[]): Condition {
    const isTuple = Array.isArray(item);
    const name = this.#define(
      isTuple
        ? `return Array.isArray(o)&&o.length===${item.length}${
          item.map((each, at) => `&&${this.#of(each, `o[${at}]`)}`).join("")
        }`
        : `if(!Array.isArray(o))return false;for(let i=0;i<o.length;i++){const v=o[i];if(!(${
          (item as Condition).on("v")
        }))return false}return true`,
    );
    return { isLossless: !isTuple && (item as Condition).isLossless === true, on: (v) => `${name}(${v})` };
  }

  /** An object with these members, and no others. */
  object(members: Readonly<Record<string, Condition>>): Condition {
    let required = 0;
    let body = "";
    for (const [name, { on, mayBeAbsent }] of Object.entries(members)) {
      if (name in INHERITED) throw new Inexact(name);
      const key = JSON.stringify(name);
      const refused = `if(v===undefined||!(${on("v")}))return false`;
      if (mayBeAbsent) body += `v=o[${key}];if(v!==undefined||${key} in o){${refused};n--}`;
      else {
        body += `v=o[${key}];${refused};`;
        required++;
      }
    }
    const name = this.#define(`${PLAIN}let v,n=-${required};${body}for(v in o)n++;return n===0`);
    return { on: (v) => `${name}(${v})` };
  }

  /** An object of any members, with a condition on their names and one on their values. */
  record(key: Condition, value: Condition): Condition {
    // Libraries leave out what would change the object itself.
    const held = this.hold(INHERITED);
    const name = this.#define(
      `${PLAIN}for(const k in o){const v=o[k];if(k in ${held}||k==="prototype"||!(${key.on("k")}&&${
        value.on("v")
      }))return false}return true`,
    );
    return { on: (v) => `${name}(${v})` };
  }

  /** Conditions in a row, on the same value. */
  all([first, ...more]: readonly [Condition, ...Condition[]]): Condition {
    if (more.length === 0) return first;
    const conditions = [first, ...more];
    return {
      mayBeAbsent: first.mayBeAbsent === true,
      isLossless: conditions.every(({ isLossless }) => isLossless),
      on: (v) => conditions.map(({ on }) => `(${on(v)})`).join("&&"),
    };
  }

  /** The first of some that fits, as a library tries them: no further than to one that may change what it accepts. */
  first(options: readonly Condition[]): Condition {
    const lossy = options.findIndex(({ isLossless }) => !isLossless);
    const tried = lossy < 0 ? options : options.slice(0, lossy + 1);
    if (tried.length === 0) throw new Inexact("no options");
    return { isLossless: lossy < 0, on: (v) => `(${tried.map(({ on }) => on(v)).join("||")})` };
  }

  /** A condition on something longer than a name. */
  #of(condition: Condition, value: string): string {
    return `${this.#define(`return ${condition.on("o")}`)}(${value})`;
  }

  #define(body: string): string {
    const name = `f${this.#count++}`;
    this.#functions += `function ${name}(o){${body}}`;
    return name;
  }
}

/** What has a prototype of its own may say of its members what it likes. */
const PLAIN = "if(typeof o!=='object'||o===null)return false;" +
  "let p=Object.getPrototypeOf(o);if(p!==Object.prototype&&p!==null)return false;";

/** A condition that leaves what it accepts as it is. */
export function condition(on: Condition["on"]): Condition {
  return { on, isLossless: true };
}

/** Conditions that every library has. */
export const ANY: Condition = condition(() => "true");
export const BOOLEAN: Condition = condition((v) => `typeof ${v}==="boolean"`);
export const NULL: Condition = condition((v) => `${v}===null`);
export const STRING: Condition = condition((v) => `typeof ${v}==="string"`);
export const INTEGER: Condition = condition((v) => `Number.isInteger(${v})`);
export const SAFE_INTEGER: Condition = condition((v) => `Number.isSafeInteger(${v})`);
export const FINITE: Condition = condition((v) => `Number.isFinite(${v})`);

/** A comparison with a number. */
export function compared(
  what: (name: string) => string,
  operator: "<" | "<=" | ">" | ">=" | "===",
  limit: unknown,
): Condition {
  if (!Number.isFinite(limit)) throw new Inexact("limit");
  return condition((v) => `${what(v)}${operator}${limit}`);
}

/** The length of a string or an array. */
export function lengthOf(name: string): string {
  return `${name}.length`;
}

/** The value itself. */
export function itself(name: string): string {
  return name;
}

/** A regular expression that has no memory. */
export function matching(pattern: unknown, writer: CheckWriter): Condition {
  if (!(pattern instanceof RegExp) || pattern.global || pattern.sticky) throw new Inexact("pattern");
  const held = writer.hold(pattern);
  return condition((v) => `${held}.test(${v})`);
}
