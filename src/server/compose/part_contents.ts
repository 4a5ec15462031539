import type { ChangeBus } from "../../core/call/changes.ts";
import type { Part } from "../part.ts";
import type { AnyTool, ToolDefinition } from "../../core/tool/definition.ts";
import type { Prompt, Resource } from "../../core/content/content_catalog.ts";

/** Contents of a part, for the server that includes it. */
export interface PartOffer {
  /** Name of the part in messages: `group "git"`. */
  readonly place: string;
  /** The current tools, under their names in the whole, without system tools. */
  plans(): readonly ToolDefinition[];
  /** The resources. */
  readonly resources: readonly Resource[];
  /** The prompts, under their names in the whole. */
  readonly prompts: readonly Prompt[];
  /** Change bus of the part; the whole only subscribes. */
  readonly changes: Pick<ChangeBus, "subscribe">;
  /** Calls `listener` when the tools have changed, before the change is published. */
  onPlans(listener: () => void): () => void;
  /** Whether the part has `auth`, so that the whole must have it, too. */
  readonly hasAuth: boolean;
  /** Closes the part's connections. */
  close(): void;
}

/** A part with its contents. */
export interface OfferedPart<Tools extends AnyTool = AnyTool> extends Part<Tools> {
  /** @internal */
  readonly "~part": PartOffer;
}
