import type { ChangeBus } from "../../core/call/changes.ts";
import type { Part } from "../part.ts";
import type { AnyTool, ToolDefinition } from "../../core/tool/definition.ts";
import type { Prompt, Resource } from "../../core/content/content_catalog.ts";

/** What a whole takes of one of its parts. */
export interface PartOffer {
  /** Which part it is, for people: `group "git"`. */
  readonly place: string;
  /** The tools, as they are now, under the names that they have in the whole; no system tools. */
  plans(): readonly ToolDefinition[];
  /** What callers can read. */
  readonly resources: readonly Resource[];
  /** The prompts, under the names that they have in the whole. */
  readonly prompts: readonly Prompt[];
  /** News of what it offers; the whole only listens. */
  readonly changes: Pick<ChangeBus, "subscribe">;
  /** Has `listener` called when there are other tools, before there is news of it. */
  onPlans(listener: () => void): () => void;
  /** Whether it finds out who calls, and so has to be a part of what does. */
  readonly hasAuth: boolean;
  /** Ends what it holds open for the whole. */
  close(): void;
}

/** A part, with what the whole takes of it. */
export interface OfferedPart<Tools extends AnyTool = AnyTool> extends Part<Tools> {
  /** @internal */
  readonly "~part": PartOffer;
}
