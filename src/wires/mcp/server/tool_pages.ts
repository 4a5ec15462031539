import type { Principal } from "../../../core/call/call.ts";
import type { WireHost } from "../../wire.ts";
import { type Answer, refusalAnswer, resultAnswer } from "./answer.ts";
import type { Dialect } from "./revision.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { refuseCursor } from "./content_handlers.ts";
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
  /** The page that was given last, to the request of which id, and the whole answer. */
  #lastPage = "";
  #lastId: RequestMessage["id"] = "";
  #lastAnswer: Answer | undefined = undefined;

  constructor(host: WireHost, tools: McpTools, dialect: Dialect, pageSize: number) {
    this.#host = host;
    this.#tools = tools;
    this.#dialect = dialect;
    this.#pageSize = pageSize;
    this.#listed = host.tools;
    this.#all = new Pages("tools", tools.list(dialect), pageSize);
  }

  /**
   * Answers who asks for a page. Clients begin to count at the same number and list tools before anything else, so that most
   * ask with the same id: with it, the whole text is there. Put together anew, a long list would be copied for each.
   */
  answer({ id, params: { cursor } }: RequestMessage, principal: Principal | undefined): Answer {
    const page = this.#page(cursor, principal);
    if (page === undefined) return refusalAnswer(id, refuseCursor(cursor));
    if (this.#lastAnswer !== undefined && id === this.#lastId && page === this.#lastPage) return this.#lastAnswer;
    this.#lastId = id;
    this.#lastPage = page;
    return this.#lastAnswer = resultAnswer(id, this.#dialect.cacheable(page));
  }

  /** The page's members, without braces; `undefined` if there is no such page. */
  #page(cursor: unknown, principal: Principal | undefined): string | undefined {
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
