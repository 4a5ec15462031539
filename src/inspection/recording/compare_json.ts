/** Compares two JSON values place by place. */
import { canonicalJson, isJsonObject, pointerKeys } from "../../internal/json.ts";
import { MARK } from "../../core/redaction/secrets.ts";

/** A place where two values differ. */
export interface JsonDifference {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  /** Recorded value. Absent if the place did not exist. */
  readonly recorded?: unknown;
  /** Value now. Absent if the place does not exist. */
  readonly now?: unknown;
}

/** The result of {@link compareJson}. */
export interface JsonComparison {
  readonly differences: readonly JsonDifference[];
  /** Number of recorded texts with the mark of a secret: at most the text around the mark was compared. */
  readonly redacted: number;
}

/** Maximum number of differences that are reported. */
const MAX_DIFFERENCES = 100;

/**
 * Compares two JSON values. Reports at most 100 differences. Where the recorded value is the mark of a secret, any value is equal.
 *
 * @param now The value to compare, with its secrets replaced.
 * @param ignore JSON pointers; `*` is any one member. Places below them are not compared.
 */
export function compareJson(recorded: unknown, now: unknown, ignore: readonly string[]): JsonComparison {
  const comparison = new Comparison(ignore.map(pointerKeys));
  comparison.compare(recorded, now, []);
  return comparison;
}

/** Collects the differences of two values, and leaves out ignored places and what was redacted. */
class Comparison implements JsonComparison {
  readonly differences: JsonDifference[] = [];
  redacted = 0;
  readonly #ignored: readonly (readonly string[])[];

  constructor(ignored: readonly (readonly string[])[]) {
    this.#ignored = ignored;
  }

  compare(recorded: unknown, now: unknown, path: readonly string[]): void {
    if (this.differences.length >= MAX_DIFFERENCES || this.#isIgnored(path)) return;
    if (typeof recorded === "string" && MARK.test(recorded)) return this.#compareMarked(recorded, now, path);
    const [old, other] = [membersOf(recorded), membersOf(now)];
    if (old === undefined || other === undefined || Array.isArray(recorded) !== Array.isArray(now)) {
      if (canonicalJson(recorded) !== canonicalJson(now)) this.#add(recorded, now, path);
      return;
    }
    for (const name of new Set([...old.keys(), ...other.keys()])) {
      this.compare(old.get(name), other.get(name), [...path, name]);
    }
  }

  /** The text around marks is compared. */
  #compareMarked(recorded: string, now: unknown, path: readonly string[]): void {
    this.redacted++;
    const isWhole = recorded.match(MARK)?.[0] === recorded;
    if (isWhole && now !== undefined) return;
    if (typeof now !== "string" || withoutMarks(recorded) !== withoutMarks(now)) this.#add(recorded, now, path);
  }

  #add(recorded: unknown, now: unknown, path: readonly string[]): void {
    const pointer = path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    this.differences.push({
      path: pointer,
      ...(recorded !== undefined && { recorded }),
      ...(now !== undefined && { now }),
    });
  }

  #isIgnored(path: readonly string[]): boolean {
    return this.#ignored.some((keys) =>
      keys.length === path.length && keys.every((key, at) => key === "*" || key === path[at])
    );
  }
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item, index) => [String(index), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}

function withoutMarks(text: string): string {
  return text.replaceAll(new RegExp(MARK, "g"), "[redacted]");
}
