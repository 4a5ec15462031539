/**
 * Which media types a caller prefers to JSON, by its header `Accept`.
 *
 * Source: RFC 9110, section 12.5.1. Of two types with the same quality the first one is preferred, as clients list them.
 *
 * @module
 */
import { ENVELOPE_TYPE, PROBLEM_TYPE } from "../messages/problem.ts";

/** A media range, in lower case, such as `image/png` or `image/*`, and its quality. */
interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

/** Ranges that ask for no file: the replies of this wire, and anything. */
const OTHERS: ReadonlySet<string> = new Set([
  "*/*",
  "application/json",
  PROBLEM_TYPE,
  ENVELOPE_TYPE,
  "text/event-stream",
]);

/** Media types in which text is sent as it is: none that a browser runs. */
const TEXT_TYPES = ["text/plain", "text/csv", "text/tab-separated-values", "text/markdown"] as const;

/** The preferences of a caller that accepts files or text as they are. */
export class FilePreferences {
  readonly #ranges: readonly MediaRange[];

  private constructor(ranges: readonly MediaRange[]) {
    this.#ranges = ranges;
  }

  /** The preferences of an `Accept` header; `undefined` if it names no media type of a file. */
  static of(accept: string | null): FilePreferences | undefined {
    if (accept === null || OTHERS.has(accept)) return undefined;
    const ranges = accept.toLowerCase().split(",").map(parseRange);
    return ranges.some(({ range, quality }) => quality > 0 && !OTHERS.has(range))
      ? new FilePreferences(ranges)
      : undefined;
  }

  /** Whether the caller prefers this type to JSON: the header names it, or its kind, as in `image/*`. The range of all types does not count. */
  prefers(type: string): boolean {
    const wanted = this.#find(type);
    if (wanted === undefined || wanted.quality === 0) return false;
    const json = this.#find("application/json");
    if (json === undefined || json.quality < wanted.quality) return true;
    return json.quality === wanted.quality && this.#ranges.indexOf(wanted) < this.#ranges.indexOf(json);
  }

  /** The type in which text is sent as it is; `undefined` if the caller prefers none. */
  get textType(): string | undefined {
    return this.#ranges.map(({ range }) => range).find((range) =>
      (TEXT_TYPES as readonly string[]).includes(range) && this.prefers(range)
    );
  }

  /** The most specific range that a type is in. */
  #find(type: string): MediaRange | undefined {
    const kind = `${type.split("/")[0]}/*`;
    return this.#ranges.find(({ range }) => range === type) ?? this.#ranges.find(({ range }) => range === kind);
  }
}

function parseRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim());
  const quality = parameters.flatMap((parameter) => /^q\s*=\s*([\d.]+)$/.exec(parameter)?.[1] ?? []);
  return { range, quality: Number(quality[0] ?? 1) || 0 };
}
