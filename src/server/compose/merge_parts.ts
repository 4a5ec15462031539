/** Merges the parts of a server, and checks them for conflicts. */
import { attempt } from "../../internal/async.ts";
import { CleanUp } from "../../internal/clean_up.ts";
import type { ChangeBus } from "../../core/call/changes.ts";
import { OBJECT_MEMBERS } from "../../internal/json.ts";
import type { MergedParts, MergeParts, ServerPart } from "../server_options.ts";
import { toLogger } from "../../core/dispatch/error_masking.ts";
import type { Logger } from "../../core/handler/context.ts";
import { originOf } from "../../core/tool/part.ts";
import { SYSTEM_TOOL_NAMES } from "../../core/tool/registry.ts";
import type { AnyTool, ToolDefinition } from "../../core/tool/definition.ts";
import type { Prompt, Resource } from "../../core/content/content_catalog.ts";

/** Joins the parts of a server, as {@link MergeParts} describes. */
export const mergeParts: MergeParts = (options, own) => {
  const { parts = [], auth } = options;
  return new Merged(parts.map((part) => contentsOf(part, auth !== undefined)), own, options);
};

function contentsOf(part: ServerPart, hasAuth: boolean): PartContents {
  const { "~part": contents } = part as PartWithContents;
  if (!contents.hasAuth || hasAuth) return contents;
  throw new TypeError(
    `Cannot create server: ${contents.place} has auth, which does not hold here: its tools would be open to all. Pass { auth } here, too`,
  );
}

/** Contents and changes of all parts of a server, as if they were of one. */
class Merged implements MergedParts {
  readonly resources: MergedParts["resources"];
  readonly prompts: MergedParts["prompts"];
  readonly changes: ChangeBus;
  readonly #parts: readonly PartContents[];
  readonly #logger: Logger | undefined;
  /** Definitions by their alternative names; `undefined` for an ambiguous name. */
  #byOriginalName: ReadonlyMap<string, ToolDefinition | undefined> = new Map();
  #isBegun = false;
  readonly #leaves: (() => void)[] = [];

  constructor(parts: readonly PartContents[], own: ChangeBus, options: Parameters<MergeParts>[0]) {
    const { resources = [], prompts = [], logger } = options;
    this.#parts = parts;
    this.#logger = toLogger(logger);
    this.resources = [...resources, ...parts.flatMap((part) => part.resources)];
    this.prompts = [...prompts, ...parts.flatMap((part) => part.prompts)];
    this.changes = joinChanges(own, parts);
  }

  definitions(own: ReadonlyMap<string, ToolDefinition>): readonly ToolDefinition[] {
    const taken = new Map(own);
    const definitions: ToolDefinition[] = [];
    const byOriginalName = new Map<string, ToolDefinition | undefined>();
    for (const definition of this.#parts.flatMap((part) => part.definitions())) {
      const problem = problemOf(definition, taken.get(definition.name));
      if (problem === undefined) {
        definitions.push(definition);
        taken.set(definition.name, definition);
        for (const name of new Set(definition.part?.ownNames)) {
          byOriginalName.set(name, byOriginalName.has(name) ? undefined : definition);
        }
      } else this.#leaveOut(definition, problem, taken.has(definition.name));
    }
    this.#byOriginalName = byOriginalName;
    this.#isBegun = true;
    return definitions;
  }

  findByOriginalName(name: string): ToolDefinition | undefined {
    return this.#byOriginalName.get(name);
  }

  onDefinitionsChanged(listener: () => void): () => void {
    const leaves = this.#parts.map((part) => part.onDefinitionsChanged(listener));
    this.#leaves.push(...leaves);
    return () => leaves.forEach((leave) => leave());
  }

  close(): void {
    const closing = new CleanUp();
    for (const leave of this.#leaves.splice(0)) closing.try(leave);
    for (const part of this.#parts) closing.try(() => part.close());
    closing.finish("Cannot close the parts of the server");
  }

  /** A conflict at start is an error; a conflict from a remote list or a later change only logs a warning. */
  #leaveOut({ name, part, remote }: ToolDefinition, problem: string, isTwice: boolean): void {
    if (!this.#isBegun && (remote === undefined || isTwice)) throw new TypeError(`Cannot create server: ${problem}`);
    this.#logger?.warn("A tool of a part is left out", { tool: name, part: originOf(part), problem });
  }
}

const RESERVED: ReadonlySet<string> = new Set([...OBJECT_MEMBERS, ...SYSTEM_TOOL_NAMES]);

/** Conflict of a tool with the others; `undefined` without one. */
function problemOf({ name, part }: ToolDefinition, other: ToolDefinition | undefined): string | undefined {
  if (name.length > 64) {
    return `the name "${name}", of ${originOf(part)}, is longer than 64 characters; choose a shorter prefix`;
  }
  if (RESERVED.has(name)) {
    return `"${name}", of ${originOf(part)}, is not a valid tool name here; rename it, or group it`;
  }
  if (other === undefined) return undefined;
  return `two tools are called "${name}", of ${originOf(other.part)} and of ${originOf(part)}; rename one, or group it`;
}

/** Change bus of a server and its parts; publishes only to the server's own bus. */
function joinChanges(own: ChangeBus, parts: readonly PartContents[]): ChangeBus {
  // Subscribe to a shared bus once.
  const buses = [...new Set([own, ...parts.map(({ changes }) => changes)])];
  return {
    publish: (change) => own.publish(change),
    subscribe(listener) {
      const leaves: (() => void)[] = [];
      const leave = (): void => {
        const leaving = new CleanUp();
        for (const leaveBus of leaves) leaving.try(leaveBus);
        leaving.finish("Cannot end a subscription to changes");
      };
      try {
        for (const bus of buses) leaves.push(bus.subscribe(listener));
      } catch (thrown) {
        attempt(leave);
        throw thrown;
      }
      return leave;
    },
    close: () => own.close?.(),
  };
}

/** Contents of a part, for the server that includes it. */
export interface PartContents {
  /** Name of the part in messages: `group "git"`. */
  readonly place: string;
  /** The current tools, under their names in the whole, without system tools. */
  definitions(): readonly ToolDefinition[];
  readonly resources: readonly Resource[];
  /** The prompts, under their names in the whole. */
  readonly prompts: readonly Prompt[];
  /** Change bus of the part; the whole only subscribes. */
  readonly changes: Pick<ChangeBus, "subscribe">;
  /** Calls `listener` when the tools have changed, before the change is published. */
  onDefinitionsChanged(listener: () => void): () => void;
  /** Whether the part has `auth`, so that the whole must have it, too. */
  readonly hasAuth: boolean;
  /** Closes the part's connections. */
  close(): void;
}

/** A part with what it adds to the whole server. */
export interface PartWithContents<Tools extends AnyTool = AnyTool> extends ServerPart<Tools> {
  /** @internal */
  readonly "~part": PartContents;
}
