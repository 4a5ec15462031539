import type { Members } from "../../../internal/json.ts";

/** Lists in pages, written once; a page is found by its cursor. */
export class Pages {
  readonly #pages = new Map<string | undefined, string>();

  /**
   * @param name Name of the list in a result.
   * @param items What is listed.
   * @param pageSize At most so many on a page.
   */
  constructor(name: string, items: readonly Members[], pageSize: number) {
    let start = 0;
    do {
      const end = start + pageSize;
      const next = end < items.length ? `,"nextCursor":"${end}"` : "";
      this.#pages.set(
        start === 0 ? undefined : String(start),
        `"${name}":${JSON.stringify(items.slice(start, end))}${next}`,
      );
      start = end;
    } while (start < items.length);
  }

  /** The page's members, without braces; `undefined` if there is no such page. */
  get(cursor: unknown): string | undefined {
    return typeof cursor === "string" || cursor === undefined ? this.#pages.get(cursor) : undefined;
  }
}
