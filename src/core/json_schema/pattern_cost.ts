/**
 * Estimates what a regular expression costs in a backtracking engine, to bound patterns of schemas of other servers.
 *
 * The estimate is an upper bound on the ways to match a text: choices multiply along a sequence. A repetition of parts that have
 * choices themselves multiplies without end, so that it has no bound.
 *
 * @module
 */

/** Maximum number of steps for one string. */
const MAX_STEPS = 100_000;

/** Maximum number of choices that do not depend on the length of the string, and of parts after counted repetitions are expanded. */
const MAX_CHOICES = 1_000;
const MAX_PARTS = 10_000;

/** Maximum number of choices for each character of a string of any length. */
const MAX_LINEAR_CHOICES = 32;

/** Maximum length of a pattern, in UTF-16 code units, and maximum nesting of its groups. */
const MAX_PATTERN = 1_000;
const MAX_DEPTH = 32;

/** Minimum useful length of a string that is checked. */
const MIN_LENGTH = 8;

/** Worst-case cost of a regular expression: at most `choices × length ** degree` steps for a string of that length. */
interface Cost {
  readonly choices: number;
  readonly degree: number;
  readonly parts: number;
}

const UNBOUNDED: Cost = { choices: Infinity, degree: 0, parts: 1 };
const EMPTY: Cost = { choices: 1, degree: 0, parts: 0 };
const ONE: Cost = { choices: 1, degree: 0, parts: 1 };

/** Escapes, classes, groups and quantifiers; other characters are literals. */
const TOKENS =
  /\\[pPu]\{[^}]*\}|\\k<|\\.|\[(?:\\.|[^\]\\])*\]|\(\?<[^=!>][^>]*>|\(\?:|\(\?|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;

/** Quantifiers: the minimum, and the maximum. */
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/;

/** Back references and look-around; a group that begins with `(?` is one of a known kind otherwise. */
const UNSUPPORTED = /^(?:\\k<|\\[1-9]|\(\?)$/;

/**
 * Maximum length, in characters, of a string that a pattern can be matched with in few steps: `Infinity` if the time is linear, 0 if
 * no such length is known, or the pattern is invalid.
 */
export function maxMatchedLength(pattern: string): number {
  if (pattern.length > MAX_PATTERN || !isValid(pattern)) return 0;
  const { choices, degree, parts } = new CostReader(pattern).whole();
  if (choices > MAX_CHOICES || parts > MAX_PARTS) return 0;
  if (degree === 0 || (degree === 1 && choices <= MAX_LINEAR_CHOICES)) return Infinity;
  const length = Math.floor((MAX_STEPS / choices) ** (1 / degree));
  return length < MIN_LENGTH ? 0 : length;
}

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** Reads a pattern from left to right, and estimates how the time of a match grows with the text. */
class CostReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#tokens = pattern.match(TOKENS) ?? [];
  }

  /** Without an anchor, the engine tries each position of the text. */
  whole(): Cost {
    const [first] = this.#tokens;
    const cost = this.#alternatives(0);
    if (this.#at < this.#tokens.length) return UNBOUNDED;
    const isAnchored = first === "^" && !this.#tokens.includes("|");
    return isAnchored ? cost : { ...cost, degree: cost.degree + 1 };
  }

  #alternatives(depth: number): Cost {
    let cost = this.#sequence(depth);
    while (this.#tokens[this.#at] === "|") {
      this.#at++;
      const { choices, degree, parts } = this.#sequence(depth);
      cost = {
        choices: cost.choices + choices,
        degree: Math.max(cost.degree, degree),
        parts: cost.parts + parts,
      };
    }
    return cost;
  }

  #sequence(depth: number): Cost {
    let cost = EMPTY;
    for (let token = this.#tokens[this.#at]; token !== undefined && token !== "|" && token !== ")";) {
      cost = times(cost, this.#quantified(this.#part(token, depth)));
      token = this.#tokens[this.#at];
    }
    return cost;
  }

  #part(token: string, depth: number): Cost {
    this.#at++;
    if (UNSUPPORTED.test(token) || depth > MAX_DEPTH) return UNBOUNDED;
    if (!token.startsWith("(")) return ONE;
    const cost = this.#alternatives(depth + 1);
    this.#at++;
    return cost;
  }

  #quantified(cost: Cost): Cost {
    const [, sign, least, comma, most] = QUANTIFIER.exec(this.#tokens[this.#at] ?? "") ?? [];
    if (sign === undefined && least === undefined) return cost;
    this.#at++;
    if (sign === "?") return { ...cost, choices: cost.choices + 1 };
    const min = Number(least ?? (sign === "+" ? 1 : 0));
    const max = sign !== undefined || (comma === "," && most === "") ? Infinity : comma === "," ? Number(most) : min;
    return repeated(cost, min, max);
  }
}

function times(one: Cost, other: Cost): Cost {
  return {
    choices: one.choices * other.choices,
    degree: one.degree + other.degree,
    parts: one.parts + other.parts,
  };
}

function repeated({ choices, degree, parts }: Cost, min: number, max: number): Cost {
  const count = max === Infinity ? Math.max(min, 1) : max;
  const isPlain = choices === 1 && degree === 0;
  if (max === Infinity) return isPlain ? { choices: 1, degree: 1, parts: parts * count + 1 } : UNBOUNDED;
  return {
    choices: (isPlain ? 1 : choices ** count) * (max - min + 1),
    degree: degree * count,
    // An empty part is repeated, too.
    parts: Math.max(parts, 1) * Math.max(count, 1),
  };
}
