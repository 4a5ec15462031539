/**
 * Generates a check as JavaScript source: conditions on values, and how to copy values that pass.
 *
 * A check accepts a subset of the values that its schema accepts without changing them. All other values are left to
 * the schema, including the error messages. Like a schema, it returns new objects and arrays.
 *
 * @module
 */

/**
 * Writes the JavaScript source of one part of a generated check: `on` gives the condition for a variable, `copy` the copy of a value that
 * fulfils it.
 */
export interface Condition {
  /** Source of the condition for a variable. It must not throw, and reads each member once. */
  readonly on: (name: string) => string;
  /** Source of a copy of a value that passes, for an expression that may be repeated. Default: the value itself. */
  readonly copy?: ((value: string) => string) | undefined;
  /** Whether the schema changes none of the values that it accepts. Default: it may. */
  readonly isLossless?: boolean;
  /** Whether an object may lack the member and stays unchanged. Default: it may not. */
  readonly mayBeAbsent?: boolean;
}

/** Thrown if no exact check of a schema can be generated: the schema then validates all values itself. */
export class NotCompilable extends Error {}

/** Names that objects inherit. */
const INHERITED = Object.prototype;

/** Generates one check: its methods create conditions for kinds of values, and `finish()` compiles the outermost one. */
export class CheckWriter {
  readonly #held: unknown[] = [];
  #functions = "";
  #count = 0;

  /** Compiles the check and the copy function. Throws if the runtime forbids code generation. */
  finish(condition: Condition): readonly [accepts: (value: unknown) => boolean, copy: (value: unknown) => unknown] {
    const code = `${this.#functions}return[v=>${condition.on("v")},v=>${copied(condition, "v")}]`;
    return new Function("held", code)(this.#held);
  }

  /** Adds a constant without a literal form and returns its name. */
  hold(value: unknown): string {
    return `held[${this.#held.push(value) - 1}]`;
  }

  /** One of several constants. */
  oneOf(values: readonly unknown[]): Condition {
    const held = this.hold(new Set(values));
    const [only] = values;
    const text = values.length === 1 && typeof only === "string" ? JSON.stringify(only) : undefined;
    return { isLossless: true, on: (v) => text === undefined ? `${held}.has(${v})` : `${v}===${text}` };
  }

  /** An array of any length. */
  array(item: Condition): Condition {
    const name = this.#define(
      `if(!Array.isArray(o))return false;for(let i=0;i<o.length;i++){const v=o[i];if(!(${
        item.on("v")
      }))return false}return true`,
    );
    const copy = item.copy &&
      this.#define(`const r=[];for(let i=0;i<o.length;i++)r.push(${item.copy("o[i]")});return r`);
    return {
      on: (v) => `${name}(${v})`,
      copy: (v) => copy === undefined ? `${v}.slice()` : `${copy}(${v})`,
      isLossless: item.isLossless === true,
    };
  }

  /** An array with as many items as there are conditions, one for each position. */
  tuple(items: readonly Condition[]): Condition {
    const tests = items.map((item, at) => `&&${this.#define(`return ${item.on("o")}`)}(o[${at}])`);
    const name = this.#define(`return Array.isArray(o)&&o.length===${items.length}${tests.join("")}`);
    return {
      on: (v) => `${name}(${v})`,
      copy: (v) => `[${items.map((item, at) => copied(item, `${v}[${at}]`)).join()}]`,
    };
  }

  /** An object with these members only. */
  object(members: Readonly<Record<string, Condition>>): Condition {
    let required = 0;
    let body = "";
    let copies = "";
    for (const [name, member] of Object.entries(members)) {
      if (name in INHERITED) throw new NotCompilable(name);
      const key = JSON.stringify(name);
      const rejected = `if(v===undefined||!(${member.on("v")}))return false`;
      const kept = `r[${key}]=${copied(member, `o[${key}]`)};`;
      if (member.mayBeAbsent) {
        body += `v=o[${key}];if(v!==undefined||${key} in o){${rejected};n--}`;
        copies += `if(${key} in o)${kept}`;
      } else {
        body += `v=o[${key}];${rejected};`;
        copies += kept;
        required++;
      }
    }
    const name = this.#define(`${PLAIN}let v,n=-${required};${body}for(v in o)n++;return n===0`);
    const copy = this.#define(`const r={};${copies}return r`);
    return { on: (v) => `${name}(${v})`, copy: (v) => `${copy}(${v})` };
  }

  /** An object with any members, with conditions on names and values. */
  record(key: Condition, value: Condition): Condition {
    // Libraries drop names that would change the object's prototype.
    const held = this.hold(INHERITED);
    const name = this.#define(
      `${PLAIN}for(const k in o){const v=o[k];if(k in ${held}||k==="prototype"||!(${key.on("k")}&&${
        value.on("v")
      }))return false}return true`,
    );
    const copy = this.#define(`const r={};for(const k in o)r[k]=${copied(value, "o[k]")};return r`);
    return { on: (v) => `${name}(${v})`, copy: (v) => `${copy}(${v})` };
  }

  /** All of several conditions on the same value. */
  all([first, ...more]: readonly [Condition, ...Condition[]]): Condition {
    if (more.length === 0) return first;
    const conditions = [first, ...more];
    return {
      mayBeAbsent: first.mayBeAbsent === true,
      copy: first.copy,
      isLossless: conditions.every(({ isLossless }) => isLossless),
      on: (v) => conditions.map(({ on }) => `(${on(v)})`).join("&&"),
    };
  }

  /** The first option that passes, in the order of the library. Stops after an option that may change values. */
  first(options: readonly Condition[]): Condition {
    const lossy = options.findIndex(({ isLossless }) => !isLossless);
    const tried = lossy < 0 ? options : options.slice(0, lossy + 1);
    if (tried.length === 0) throw new NotCompilable("no options");
    return { ...anyOf(tried), isLossless: lossy < 0 };
  }

  #define(body: string): string {
    const name = `f${this.#count++}`;
    this.#functions += `function ${name}(o){${body}}`;
    return name;
  }
}

/** Creates a condition that holds if one of several does. The first that holds copies the value. */
export function anyOf(options: readonly Condition[]): Condition {
  const on = (v: string) => `(${options.map((option) => option.on(v)).join("||")})`;
  if (options.every(({ copy }) => copy === undefined)) return { on };
  const copy = (v: string) => `(${options.map((option) => `${option.on(v)}?${copied(option, v)}:`).join("")}${v})`;
  return { on, copy };
}

function copied({ copy }: Condition, value: string): string {
  return copy?.(value) ?? value;
}

/** Objects with another prototype may have getters, so they are left to the schema. */
const PLAIN = "if(typeof o!=='object'||o===null)return false;" +
  "let p=Object.getPrototypeOf(o);if(p!==Object.prototype&&p!==null)return false;";

/** Creates a condition on a value that the schema does not change or copy, from the source of the condition. */
export function condition(on: Condition["on"]): Condition {
  return { on, isLossless: true };
}

/** Accepts every value. This and the following conditions are common to all schema libraries. */
export const ANY: Condition = condition(() => "true");
export const BOOLEAN_CHECK: Condition = condition((v) => `typeof ${v}==="boolean"`);
export const NULL: Condition = condition((v) => `${v}===null`);
export const STRING: Condition = condition((v) => `typeof ${v}==="string"`);
export const INTEGER: Condition = condition((v) => `Number.isInteger(${v})`);
export const SAFE_INTEGER: Condition = condition((v) => `Number.isSafeInteger(${v})`);
export const FINITE: Condition = condition((v) => `Number.isFinite(${v})`);

/** Creates the condition that an expression compares so with a number. @throws {NotCompilable} If the limit is not a finite number. */
export function compared(
  what: (name: string) => string,
  operator: "<" | "<=" | ">" | ">=" | "===",
  limit: unknown,
): Condition {
  if (!Number.isFinite(limit)) throw new NotCompilable("limit");
  return condition((v) => `${what(v)}${operator}${limit}`);
}

/** Source of the length of a string or an array. */
export function lengthOf(name: string): string {
  return `${name}.length`;
}

/** Source of the value itself, for {@link compared}. */
export function identity(name: string): string {
  return name;
}

/** Creates the condition that a string matches a regular expression. @throws {NotCompilable} If it is not one, or is global or sticky. */
export function matching(pattern: unknown, writer: CheckWriter): Condition {
  if (!(pattern instanceof RegExp) || pattern.global || pattern.sticky) throw new NotCompilable("pattern");
  const held = writer.hold(pattern);
  return condition((v) => `${held}.test(${v})`);
}
