import type { Principal } from "../call/call.ts";
import { type Access, isVisibleTo } from "../tool/access.ts";
import type { PartDefinition } from "../tool/part.ts";

/** What decides on the callers that may use a prompt or resource: its part, or the tool whose page it is. */
export interface GuardedContent {
  readonly part: PartDefinition | undefined;
  readonly isVisible?: Access["isVisible"];
}

/** The prompts or resource templates of a server in listed form, without those of the parts that a caller may not see. */
export class ListedContents<Listing> {
  readonly #placed: readonly GuardedContent[];
  readonly #all: readonly Listing[];
  readonly #isOpen: boolean;
  /** Made for the first list. */
  #allJson: string | undefined;

  constructor(placed: readonly GuardedContent[], all: readonly Listing[]) {
    this.#placed = placed;
    this.#all = all;
    this.#isOpen = placed.every((one) => visibilityOf(one) === undefined);
  }

  /** What the caller may see: the same array for all callers from whom nothing is hidden. */
  listFor(principal: Principal | undefined, session?: string): readonly Listing[] {
    if (this.#isOpen) return this.#all;
    const seen = this.#all.filter((_, index) => isOpenTo(this.#placed[index]!, principal, session));
    return seen.length === this.#all.length ? this.#all : seen;
  }

  /** The list that a caller may see, as JSON text. */
  jsonFor(principal: Principal | undefined): string {
    const seen = this.listFor(principal);
    return seen === this.#all ? this.#allJson ??= JSON.stringify(seen) : JSON.stringify(seen);
  }
}

/** Which callers may use a prompt or resource; `undefined` if all may. */
export function visibilityOf({ part, isVisible = part?.isVisible }: GuardedContent): Access["isVisible"] {
  return isVisible;
}

/** Whether a caller may use a prompt or resource. */
export function isOpenTo(one: GuardedContent, principal: Principal | undefined, session?: string): boolean {
  return isVisibleTo({ scopes: [], isVisible: visibilityOf(one) }, principal, session);
}
