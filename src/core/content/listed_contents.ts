import type { Principal } from "../call/call.ts";
import { isVisibleTo } from "../tool/access.ts";
import type { PartDefinition } from "../tool/part.ts";

interface OfPart {
  readonly part: PartDefinition | undefined;
}

/** The prompts or resource templates of a server in listed form, without those of the parts that a caller may not see. */
export class ListedContents<Listing> {
  readonly #parts: readonly OfPart[];
  readonly #all: readonly Listing[];
  readonly #isOpen: boolean;
  /** Made for the first list. */
  #allJson: string | undefined;

  constructor(parts: readonly OfPart[], all: readonly Listing[]) {
    this.#parts = parts;
    this.#all = all;
    this.#isOpen = parts.every(({ part }) => part?.isVisible === undefined);
  }

  /** What the caller may see: the same array for all callers from whom nothing is hidden. */
  listFor(principal: Principal | undefined): readonly Listing[] {
    if (this.#isOpen) return this.#all;
    const seen = this.#all.filter((_, index) => isOpenTo(this.#parts[index], principal));
    return seen.length === this.#all.length ? this.#all : seen;
  }

  /** The same, as JSON text. */
  jsonFor(principal: Principal | undefined): string {
    const seen = this.listFor(principal);
    return seen === this.#all ? this.#allJson ??= JSON.stringify(seen) : JSON.stringify(seen);
  }
}

/** Whether a caller may use the part that a prompt or resource belongs to. */
export function isOpenTo(one: OfPart | undefined, principal: Principal | undefined): boolean {
  const part = one?.part;
  return part === undefined || isVisibleTo({ scopes: [], isVisible: part.isVisible }, principal);
}
