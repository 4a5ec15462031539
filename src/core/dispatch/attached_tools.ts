/**
 * Tools that are served apart from the server's own, and the names of tools in tokens and jobs.
 *
 * Not part of the registry, because only the wires with such tools and the engines need this code.
 */
import type { Peer } from "../call/call.ts";
import { isVisibleTo } from "../tool/access.ts";
import type { AnyTool, ToolDefinition } from "../tool/definition.ts";
import { canPromise, ToolRegistry } from "../tool/registry.ts";
import type { Dispatcher, Toolset } from "./dispatcher.ts";

/** Tools that a wire serves apart from the server's own, as `WireHost.addToolset` takes them: made by {@link toolset}. */
export interface AddedTools {
  /**
   * Adds the tools to a server.
   *
   * @internal
   */
  readonly "~attach": (dispatcher: Dispatcher) => Toolset;
}

/**
 * Makes a set of tools that a wire serves apart from the server's own, such as other versions of them, for `WireHost.addToolset`.
 *
 * Tokens and jobs name them `<name>@<tag>`, which is not a valid name for callers; a tool that the server has too keeps its
 * plain name.
 *
 * @param tag Unique on the server, and the same on every replica.
 */
export function toolset(tag: string, tools: readonly AnyTool[]): AddedTools {
  return {
    "~attach": (dispatcher) => {
      const attached = attach(dispatcher.registry, tag, tools);
      dispatcher.assertServable(attached.definitions());
      return {
        tools: attached.listings(),
        definitions: attached.definitions(),
        call: (call, sink) => dispatcher.call(call, sink, attached),
      };
    },
  };
}

function attach(registry: ToolRegistry, tag: string, tools: readonly AnyTool[]): ToolRegistry {
  const tagged = tools.map((tool) => {
    if (tool?.["~definition"] === undefined) return tool;
    const definition = registry.guard(tool["~definition"]);
    const { name } = definition;
    const isShared = definition === registry.get(name);
    return { name, "~definition": isShared ? definition : { ...definition, name: `${name}@${tag}` } };
  });
  const added = new ToolRegistry(tagged, registry.systemTools);
  for (const definition of added.definitions()) {
    if (registry.get(definition.name) !== undefined || definition.isSystem) continue;
    if (registry.attached.has(definition.name)) {
      throw new TypeError(`Cannot create server: two toolsets have the tag "${tag}"; give one another tag`);
    }
    registry.attached.set(definition.name, definition);
  }
  return added;
}

/** Returns the tool that a job names: of the registry, of an added toolset, or of a part under the name on the part's own server. */
export function toolOfJob(registry: ToolRegistry, name: string): ToolDefinition | undefined {
  return registry.get(name) ?? registry.attached.get(name) ?? registry.parts?.findByOriginalName(name);
}

/** Returns the tool that a token names, as {@link toolOfJob} finds it, if it is visible to the caller. Scopes are not checked. */
export function toolOfToken(
  registry: ToolRegistry,
  name: string,
  { principal, session }: Pick<Peer, "principal" | "session">,
): ToolDefinition | undefined {
  const definition = toolOfJob(registry, name);
  return definition && isVisibleTo(definition, principal, session) ? definition : undefined;
}

/** Whether any tool of a registry or of its added toolsets can promise its answer: the server may then have jobs of earlier processes. */
export function hasPromises(registry: ToolRegistry): boolean {
  return [...registry.definitions(), ...registry.attached.values()].some(canPromise);
}
