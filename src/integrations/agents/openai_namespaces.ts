import type { AgentTool } from "./agent_tool.ts";
import { mapNames } from "./parameters.ts";
import { nameInGroup } from "./search_tool.ts";

/** Name of a tool within a namespace, as OpenAI has it. */
interface QualifiedName {
  /** The namespace; `undefined` if the tool is in none. */
  readonly namespace: string | undefined;
  /** Name within the namespace. */
  readonly name: string;
}

/** Maps tools to namespaces of OpenAI by their groups, and back: `github` with `create_issue` for `github_create_issue`. */
export class Namespaces {
  readonly #qualified = new Map<AgentTool, QualifiedName>();
  readonly #tools = new Map<string, AgentTool>();

  constructor(tools: readonly AgentTool[]) {
    const groups = Map.groupBy(tools.filter(({ group }) => group !== ""), ({ group }) => group);
    const namespaces = mapNames([...groups.keys()], NAME);
    for (const [group, members] of groups) {
      const namespace = namespaces.get(group) ?? group;
      const own = members.map((tool) => nameInGroup(tool.name, group));
      // A tool that has the name of its namespace could not be distinguished from it.
      const isUnique = new Set(own).size === own.length && !own.includes(namespace);
      members.forEach((tool, index) => {
        const name = isUnique ? own[index] ?? tool.name : tool.name;
        this.#qualified.set(tool, { namespace, name });
        this.#tools.set(`${namespace}.${name}`, tool);
      });
    }
  }

  /** Returns the name that the model knows. */
  nameOf(tool: AgentTool): QualifiedName {
    return this.#qualified.get(tool) ?? { namespace: undefined, name: tool.name };
  }

  /** Returns the tool that a model calls by a name in a namespace. */
  find(namespace: string | null | undefined, name: string): AgentTool | undefined {
    return this.#tools.get(`${namespace}.${name}`);
  }
}

/** Returns the description of a namespace, which the model reads together with its tools: `Tools of github`. */
export function describeNamespace(namespace: string): string {
  return `Tools of ${namespace}`;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
