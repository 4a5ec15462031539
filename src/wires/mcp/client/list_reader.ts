import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { estimateJsonSize } from "../../../internal/json_size.ts";
import { invalidResultError } from "./decode_reply.ts";

/** Limits on a whole list. They end the list of a server that has no end, before it fills the memory. */
const MAX_PAGES = 1_000;
const MAX_ENTRIES = 100_000;
/** In UTF-16 code units of JSON, estimated. */
const MAX_CHARS = 16_777_216;

/** Maximum nesting of a page. */
const MAX_DEPTH = 512;

/** Collects the pages of a list: at most 1,000 pages, 100,000 entries and 16 Mi characters of JSON. Skips entries that are not objects. */
export class ListReader {
  readonly items: Members[] = [];
  readonly #method: string;
  readonly #member: string;
  readonly #cursors = new Set<string>();
  #pages = 0;
  #charsLeft = MAX_CHARS;

  /**
   * @param method Such as `tools/list`.
   * @param member Member of a result that contains the page.
   */
  constructor(method: string, member: string) {
    this.#method = method;
    this.#member = member;
  }

  /** Adds a page. Returns the cursor of the next one, `undefined` after the last one, or an error: it is invalid or the list too large. */
  add(result: Members): string | undefined | ErrorResult {
    const { [this.#member]: page, nextCursor: cursor } = result;
    if (!Array.isArray(page)) return invalidResultError(this.#method);
    if (this.items.length + page.length > MAX_ENTRIES) return this.#tooLarge(`more than ${MAX_ENTRIES} entries`);
    this.#charsLeft = estimateJsonSize(result, this.#charsLeft, MAX_DEPTH);
    if (this.#charsLeft < 0) return this.#tooLarge(`more than ${MAX_CHARS} characters, or ${MAX_DEPTH} levels`);
    for (const item of page) if (isJsonObject(item)) this.items.push(item);
    // An empty string is a valid cursor.
    if (typeof cursor !== "string") return undefined;
    if (++this.#pages === MAX_PAGES) return this.#tooLarge(`more than ${MAX_PAGES} pages`);
    if (this.#cursors.has(cursor)) return this.#tooLarge("no end: it repeats a cursor");
    this.#cursors.add(cursor);
    return cursor;
  }

  #tooLarge(problem: string): ErrorResult {
    return errorResult("result_too_large", `The server's list of ${this.#method} has ${problem}`);
  }
}
