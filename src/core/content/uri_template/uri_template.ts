/**
 * URI templates: expands variables into a URI, and matches a URI to get its variables.
 *
 * Levels 1 to 3 of {@link https://www.rfc-editor.org/rfc/rfc6570 | RFC 6570}. Matching takes linear time in the length
 * of the URI, because it does not backtrack.
 */
import { encodeReserved, type Expression, parseUriTemplate, type TemplatePart } from "./parser.ts";

/** Maximum length of a URI to match, in UTF-16 code units. */
const MAX_URI = 8_192;

/** Whether a URI or URI template starts with a literal scheme and contains no spaces. */
export function namesScheme(uri: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/.test(uri);
}

/** Values of a template's variables. Variables that a URI lacks are omitted. */
export type UriVariables = Readonly<Record<string, string>>;

/** A step of matching. */
type Step =
  | { readonly kind: "literal"; readonly text: string }
  /** One or more accepted characters: the value of a variable, or a list of named values. */
  | { readonly kind: "run"; readonly expression: Expression; readonly variable: string | undefined }
  /** The following run is optional. If present, it starts with this character. */
  | { readonly kind: "option"; readonly lead: string };

/** A URI template (RFC 6570, levels 1 to 3): expands variables to a URI, and reads variables from a URI. */
export class UriTemplate {
  /** Source text. */
  readonly text: string;
  /** Names of the variables, in order. */
  readonly variables: readonly string[];
  readonly #parts: readonly TemplatePart[];
  readonly #steps: readonly Step[];

  /** @throws {TypeError} If the template cannot be expanded and matched. */
  constructor(text: string) {
    this.text = text;
    this.#parts = parseUriTemplate(text);
    this.#steps = this.#parts.flatMap(stepsOf);
    this.variables = this.#parts.flatMap((part) => (typeof part === "string" ? [] : part.variables));
  }

  /** Returns the URI for values of the variables, percent-encoded. Missing variables are omitted, as in RFC 6570. */
  expand(variables: Readonly<Record<string, string | undefined>>): string {
    return this.#parts.map((part) => (typeof part === "string" ? part : expand(part, variables))).join("");
  }

  /** Returns the decoded variables of a URI. `undefined` if it does not match, or is longer than 8,192 code units. */
  match(uri: string): UriVariables | undefined {
    const [first] = this.#steps;
    if (uri.length > MAX_URI || (first?.kind === "literal" && !uri.startsWith(first.text))) return undefined;
    const leads = reachable(this.#steps, uri);
    return leads[0] === 1 ? this.#read(uri, leads) : undefined;
  }

  /** Collects the variables on the path that gives earlier variables as many characters as possible. */
  #read(uri: string, leads: Uint8Array): UriVariables | undefined {
    const width = uri.length + 1;
    const values = new Map<string, string>();
    let at = 0;
    for (let index = 0; index < this.#steps.length; index++) {
      const step = this.#steps[index] as Step;
      if (step.kind === "literal") at += step.text.length;
      else if (step.kind === "option") {
        const isThere = uri[at] === step.lead && leads[(index + 1) * width + at + 1] === 1;
        if (isThere) at++;
        else index++;
      } else {
        let end = at + 1;
        // If the run cannot continue, the rest of the URI matches: otherwise this character would not have been
        // accepted.
        while (leads[index * width + end] === 1) end++;
        if (!readRun(step, uri.slice(at, end), values)) return undefined;
        at = end;
      }
    }
    return Object.fromEntries(values);
  }
}

/** For each step and position, whether the remaining steps match the remaining URI. Computed from the end. */
function reachable(steps: readonly Step[], uri: string): Uint8Array {
  const width = uri.length + 1;
  const leads = new Uint8Array((steps.length + 1) * width);
  leads[steps.length * width + uri.length] = 1;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index] as Step;
    const [here, next, afterNext] = [index * width, (index + 1) * width, (index + 2) * width];
    for (let at = uri.length; at >= 0; at--) {
      if (step.kind === "literal") {
        leads[here + at] = leads[next + at + step.text.length] === 1 && uri.startsWith(step.text, at) ? 1 : 0;
      } else if (step.kind === "option") {
        const isThere = uri[at] === step.lead && leads[next + at + 1] === 1;
        leads[here + at] = isThere || leads[afterNext + at] === 1 ? 1 : 0;
      } else if (at < uri.length && step.expression.fits(uri.charCodeAt(at))) {
        leads[here + at] = leads[next + at + 1] === 1 || leads[here + at + 1] === 1 ? 1 : 0;
      }
    }
  }
  return leads;
}

function stepsOf(part: TemplatePart): Step[] {
  if (typeof part === "string") return [{ kind: "literal", text: part }];
  const { operator, variables } = part;
  if (operator.isNamed) {
    return [{ kind: "option", lead: operator.lead }, { kind: "run", expression: part, variable: undefined }];
  }
  return variables.flatMap((variable, index): Step[] => {
    const text = index === 0 ? operator.lead : operator.separator;
    const run: Step = { kind: "run", expression: part, variable };
    return text === "" ? [run] : [{ kind: "literal", text }, run];
  });
}

/** Stores the values of a run. Returns `false` if no expansion contains it. */
function readRun(
  { expression, variable }: Step & { readonly kind: "run" },
  raw: string,
  values: Map<string, string>,
): boolean {
  const pairs: readonly (readonly [string, string])[] = variable === undefined
    ? raw.split(expression.operator.separator).map(splitPair)
    : [[variable, raw]];
  return pairs.every(([name, rawValue]) => {
    const value = decode(rawValue);
    if (value === undefined || values.has(name) || !expression.variables.includes(name)) return false;
    values.set(name, value);
    return true;
  });
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

function decode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

function expand({ operator, variables }: Expression, values: Readonly<Record<string, string | undefined>>): string {
  const { lead, separator, isNamed, keepsReserved, emptySuffix } = operator;
  const expanded = variables.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return [];
    const encoded = keepsReserved ? encodeReserved(value) : encodeStrict(value);
    if (!isNamed) return [encoded];
    return [value === "" ? name + emptySuffix : `${name}=${encoded}`];
  });
  return expanded.length === 0 ? "" : lead + expanded.join(separator);
}

/** Percent-encodes all but unreserved characters. A lone surrogate, which UTF-8 lacks, becomes U+FFFD. */
function encodeStrict(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, percent);
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Type of the names in the comma-separated list of an expression: `"q" | "limit"` for `q,limit`. */
export type ListedNames<List extends string> = List extends `${infer First},${infer Rest}` ? First | ListedNames<Rest>
  : List;

/** Names of required variables: those outside of `{?…}`, `{&…}` and `{;…}`. */
export type RequiredNames<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}` ?
    | (Inner extends `${"?" | "&" | ";"}${string}` ? never
      : ListedNames<Inner extends `${"+" | "#" | "." | "/"}${infer List}` ? List : Inner>)
    | RequiredNames<Rest>
  : never;

/** Names of optional variables: those of `{?…}`, `{&…}` and `{;…}`. */
export type OptionalNames<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}`
  ? (Inner extends `${"?" | "&" | ";"}${infer List}` ? ListedNames<List> : never) | OptionalNames<Rest>
  : never;

/** Names of a template's variables. Any string, if the template is not a literal. */
export type VariableNames<Uri extends string> = string extends Uri ? string : RequiredNames<Uri> | OptionalNames<Uri>;

/**
 * Values of a template's variables: `{ id: string }` for `docs://{id}`. Those of `{?…}`, `{&…}` and `{;…}` are
 * optional.
 */
export type VariablesOf<Uri extends string> = string extends Uri ? Readonly<Record<string, string>>
  : { readonly [Name in RequiredNames<Uri>]: string } & { readonly [Name in OptionalNames<Uri>]?: string };
