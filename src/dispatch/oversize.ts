/**
 * Whether what a tool gives may go out: told before it is written, so that no wire spends its time on what nobody will read.
 *
 * Deep values are why this comes first: on Bun `JSON.stringify` takes half a second to find that its stack has ended, and on
 * Node the depth at which it does depends on who calls.
 *
 * @module
 */
import { type Refusal, refuse } from "../call/outcome.ts";

/** Limits on what tools give. */
export interface AnswerLimits {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Largest answer, or piece of one, in UTF-16 code units of JSON, about. */
  readonly answerChars: number;
}

/** What is left, where a value is nested too deep. */
const TOO_DEEP = Number.NEGATIVE_INFINITY;

/** How much a number is taken for that is not short. */
const NUMBER_CHARS = 17;

/** Weighs values that go out together. */
export class Scale {
  readonly #limits: AnswerLimits;
  #left: number;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
    this.#left = limits.answerChars;
  }

  /**
   * Why a value does not go out with those before it; `undefined` if it may, or cannot be told: what contains itself, or throws
   * when it is read, is for whoever writes it to find.
   */
  refuse(value: unknown): Refusal | undefined {
    const { depth, answerChars } = this.#limits;
    const left = this.#weigh(value);
    if (Number.isNaN(left)) return undefined;
    this.#left = left;
    if (left >= 0) return undefined;
    const how = left === TOO_DEEP ? `nested deeper than ${depth} levels` : `longer than ${answerChars} characters`;
    return refuse("result_too_large", `The result is ${how}`);
  }

  #weigh(value: unknown): number {
    try {
      return charsLeft(value, this.#left, [], this.#limits.depth);
    } catch {
      return Number.NaN;
    }
  }
}

/** Why a value does not go out; see {@link Scale.refuse}. */
export function refuseOversize(value: unknown, limits: AnswerLimits): Refusal | undefined {
  return typeof value === "object" || typeof value === "string" ? new Scale(limits).refuse(value) : undefined;
}

/** How many characters are left after a value: less than none if it is too long; not a number if it contains itself. */
function charsLeft(value: unknown, left: number, within: object[], maxDepth: number): number {
  if (typeof value === "string") return left - value.length - 2;
  if (typeof value === "number") return left - (Number.isInteger(value) && Math.abs(value) < 1e5 ? 5 : NUMBER_CHARS);
  if (typeof value !== "object" || value === null) return left - 5;
  // Item by item it would take as long as to write it.
  if (ArrayBuffer.isView(value)) return left - value.byteLength * 2;
  // What it makes of itself is its own affair.
  if ("toJSON" in value) return left - 2;
  if (within.length === maxDepth) return new Set(within).size < maxDepth ? Number.NaN : TOO_DEEP;
  within.push(value);
  const rest = Array.isArray(value)
    ? charsLeftOfItems(value, left - 2, within, maxDepth)
    : charsLeftOfMembers(value, left - 2, within, maxDepth);
  within.pop();
  return rest;
}

function charsLeftOfItems(items: readonly unknown[], left: number, within: object[], maxDepth: number): number {
  for (let index = 0; index < items.length && left >= 0; index++) {
    left = charsLeft(items[index], left - 1, within, maxDepth);
  }
  return left;
}

function charsLeftOfMembers(members: object, left: number, within: object[], maxDepth: number): number {
  for (const name of Object.keys(members)) {
    left = charsLeft((members as Readonly<Record<string, unknown>>)[name], left - name.length - 4, within, maxDepth);
    if (!(left >= 0)) return left;
  }
  return left;
}
