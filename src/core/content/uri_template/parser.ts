/**
 * Parses URI templates and determines whether they can be matched unambiguously.
 *
 * Source: {@link https://www.rfc-editor.org/rfc/rfc6570 | RFC 6570}, section 2 and appendix A.
 *
 * @module
 */

/** How an operator of URI templates, such as `?` or `/`, expands its variables (RFC 6570, appendix A). */
interface Operator {
  /** Prefix of the first value. */
  readonly lead: string;
  /** Separator of values. */
  readonly separator: string;
  /** Whether values are named, and may be missing. */
  readonly isNamed: boolean;
  /** Suffix of the name of an empty value. */
  readonly emptySuffix: string;
  /** Whether reserved characters are kept. */
  readonly keepsReserved: boolean;
}

/** A parsed expression in braces, such as `{id}` or `{?q,limit}`: its operator and the names of its variables. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly string[];
  /** Whether a character may be part of a matched value; more than an expansion contains. For named values, includes `=` and the separator. */
  fits(charCode: number): boolean;
}

/** A part of a parsed URI template: literal text, percent-encoded, or an expression in braces. */
export type TemplatePart = string | Expression;

const OPERATORS: Readonly<Record<string, Operator>> = {
  "": operator("", ","),
  "+": { ...operator("", ","), keepsReserved: true },
  "#": { ...operator("#", ","), keepsReserved: true },
  ".": operator(".", "."),
  "/": operator("/", "/"),
  ";": { ...operator(";", ";"), isNamed: true },
  "?": { ...operator("?", "&"), isNamed: true, emptySuffix: "=" },
  "&": { ...operator("&", "&"), isNamed: true, emptySuffix: "=" },
};

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const HASH = 0x23;
const SPACE = 0x20;

/**
 * Parses a URI template (RFC 6570) into literals and expressions.
 *
 * @throws {TypeError} If it is malformed, above level 3, or cannot be matched unambiguously.
 */
export function parseUriTemplate(text: string): TemplatePart[] {
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot read URI template ${JSON.stringify(text)}: ${reason}`);
  };
  const parts: TemplatePart[] = [];
  for (const piece of text.split(/(\{[^{}]*\})/)) {
    if (piece === "") continue;
    if (!piece.startsWith("{")) {
      if (/[{}]/.test(piece)) fail("a brace is not closed, or was not opened");
      parts.push(encodeReserved(piece));
    } else addExpression(parts, parseExpression(piece.slice(1, -1), fail));
  }
  assertDistinct(parts, fail);
  return parts.map((part, index) => typeof part === "string" ? part : separated(part, parts[index + 1], fail));
}

type Fail = (reason: string) => never;

function operator(lead: string, separator: string): Operator {
  return { lead, separator, isNamed: false, emptySuffix: "", keepsReserved: false };
}

function parseExpression(inner: string, fail: Fail): Expression {
  const [, symbol = "", list = ""] = /^([+#./;?&]?)([\s\S]*)$/.exec(inner) ?? [];
  const variables = list.split(",");
  for (const variable of variables) {
    if (/[*:]/.test(variable)) {
      fail(`{${inner}} uses a modifier of level 4; leave it out, or take {+${variable.replace(/[*:].*/, "")}}`);
    }
    if (!/^(\w|%[0-9A-Fa-f]{2})+(\.(\w|%[0-9A-Fa-f]{2})+)*$/.test(variable)) {
      fail(`{${inner}} does not name its variables with letters, digits, _ and .`);
    }
  }
  const found = OPERATORS[symbol] as Operator;
  return { operator: found, variables, fits: fitsOf(symbol) };
}

/**
 * Accepts more characters than an expansion contains, because URIs are also written by hand. Only delimiters of the URI
 * end a value.
 */
function fitsOf(symbol: string): (charCode: number) => boolean {
  if (symbol === "+" || symbol === "#") return (code) => code > SPACE;
  if (symbol === "?" || symbol === "&") return (code) => code > SPACE && code !== HASH;
  return (code) => code > SPACE && code !== SLASH && code !== QUESTION_MARK && code !== HASH;
}

/** Merges `{?a}{&b}` into `{?a,b}`. Otherwise `b` alone would start with `&`. */
function addExpression(parts: TemplatePart[], expression: Expression): void {
  const last = parts.at(-1);
  const isContinued = expression.operator.lead === "&" && typeof last === "object" && last.operator.separator === "&";
  if (!isContinued) return void parts.push(expression);
  parts[parts.length - 1] = { ...last, variables: [...last.variables, ...expression.variables] };
}

function assertDistinct(parts: readonly TemplatePart[], fail: Fail): void {
  const seen = new Set<string>();
  for (const variable of parts.flatMap((part) => (typeof part === "string" ? [] : part.variables))) {
    if (seen.has(variable)) fail(`the variable ${variable} is used twice`);
    seen.add(variable);
  }
}

/**
 * The end of a value must be recognisable: what follows, even if optional, must not be a possible part of the value.
 */
function separated(part: Expression, next: TemplatePart | undefined, fail: Fail): Expression {
  if (next === undefined) return part;
  const { lead, isNamed } = part.operator;
  const start = typeof next === "string" ? next : next.operator.lead;
  const names = part.variables.join();
  if (start === "") fail(`there has to be a delimiter between ${names} and what follows`);
  const startCode = start.charCodeAt(0);
  if (isNamed && part.fits(startCode)) {
    fail(`the end of {${lead}${names}} is ambiguous: put it last, or before a #`);
  }
  if (typeof next === "string" || !next.operator.isNamed) return part;
  return { ...part, fits: (code) => code !== startCode && part.fits(code) };
}

/** Percent-encodes characters that are not allowed in a URI. Reserved and already encoded characters are kept. */
export function encodeReserved(text: string): string {
  return encodeURI(text.toWellFormed()).replace(/%25(?=[0-9A-Fa-f]{2})/g, "%").replace(
    /%5[BD]/g,
    (found) => (found === "%5B" ? "[" : "]"),
  );
}
