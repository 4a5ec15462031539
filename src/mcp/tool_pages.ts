import type { Principal } from "../call/call.ts";
import type { WireHost } from "../wires/wire.ts";
import type { Dialect } from "./dialect.ts";
import { Pages } from "./pages.ts";
import type { McpTools } from "./tools.ts";

/** The list of a server's tools in one revision, as each caller may see it. */
export class ToolPages {
  readonly #host: WireHost;
  readonly #tools: McpTools;
  readonly #dialect: Dialect;
  readonly #pageSize: number;
  #listed: WireHost["tools"];
  #all: Pages;

  constructor(host: WireHost, tools: McpTools, dialect: Dialect, pageSize: number) {
    this.#host = host;
    this.#tools = tools;
    this.#dialect = dialect;
    this.#pageSize = pageSize;
    this.#listed = host.tools;
    this.#all = new Pages("tools", tools.list(dialect), pageSize);
  }

  /** The page's members, without braces; `undefined` if there is no such page. */
  get(cursor: unknown, principal: Principal | undefined): string | undefined {
    const { tools } = this.#host;
    const seen = this.#host.toolsFor(principal);
    if (seen === tools) {
      if (tools !== this.#listed) this.#all = new Pages("tools", this.#tools.list(this.#dialect), this.#pageSize);
      this.#listed = tools;
      return this.#all.get(cursor);
    }
    const names = new Set(seen.map(({ name }) => name));
    const items = this.#tools.list(this.#dialect).filter(({ name }) => names.has(String(name)));
    return new Pages("tools", items, this.#pageSize).get(cursor);
  }
}
