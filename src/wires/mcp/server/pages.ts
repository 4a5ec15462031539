import type { ErrorResult } from "../../../core/call/outcome.ts";
import { isForModels, supportsViews } from "../../../core/call/views.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { ObjectCache } from "../../../internal/object_cache.ts";
import type { WireHost } from "../../wire.ts";
import { ALL_TOOLS } from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { McpExchange } from "./exchange.ts";
import { errorResponse, paramError, resultResponse, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";
import type { McpTools } from "./tools.ts";

/** A list in pages, each encoded once. The cursor of a page is the index of its first item. */
export class Pages {
  readonly #pages = new Map<string | undefined, string>();

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

  /** Members of a result with this page, without braces; `undefined` if there is no such page. */
  get(cursor: unknown): string | undefined {
    return typeof cursor === "string" || cursor === undefined ? this.#pages.get(cursor) : undefined;
  }
}

export function cursorError(cursor: unknown): ErrorResult {
  return paramError("cursor", cursor, "a cursor that this server sent");
}

/** Answers `tools/list` in one revision: pages of the tools that the caller may see. */
export class ToolPages {
  readonly #host: WireHost;
  readonly #tools: McpTools;
  readonly #revision: Revision;
  readonly #pageSize: number;
  /** Pages of the full list, if the server lists a selection. */
  #complete: ToolPages | undefined;
  readonly #pages = new ObjectCache<WireHost["tools"], Pages>((tools) => this.#pagesOf(tools));
  /** The lists for clients that are known to show no views: without the tools of views alone. */
  readonly #forModels = new ObjectCache<WireHost["tools"], Pages>((tools) => {
    const forModels = tools.filter(isForModels);
    return forModels.length === tools.length ? this.#pages.get(tools) : this.#pagesOf(forModels);
  });
  /** The last page that was sent, the id of its request, and the response. */
  #lastPage = "";
  #lastId: RequestMessage["id"] = "";
  #lastResponse: RpcResponse | undefined;

  constructor(host: WireHost, tools: McpTools, revision: Revision, pageSize: number) {
    this.#host = host;
    this.#tools = tools;
    this.#revision = revision;
    this.#pageSize = pageSize;
    this.#pages.get(host.tools);
  }

  /**
   * Answers `tools/list`. Clients count ids from the same number and list the tools first, so that most requests have the same id:
   * the last response is reused for it. A long list would otherwise be copied for each request.
   */
  list(request: RequestMessage, caller: McpExchange, capabilities: unknown): RpcResponse {
    const { id, params: { cursor, _meta } } = request;
    const { allTools } = this.#host;
    if (allTools !== undefined && isJsonObject(_meta) && _meta[ALL_TOOLS] === true) {
      this.#complete ??= new ToolPages(allTools, this.#tools, this.#revision, this.#pageSize);
      return this.#complete.list(request, caller, capabilities);
    }
    const page = this.#page(cursor, caller, capabilities);
    if (page === undefined) return errorResponse(id, cursorError(cursor));
    if (this.#lastResponse !== undefined && id === this.#lastId && page === this.#lastPage) return this.#lastResponse;
    this.#lastId = id;
    this.#lastPage = page;
    return this.#lastResponse = resultResponse(id, this.#revision.cacheable(page));
  }

  #page(cursor: unknown, { principal, sessionId }: McpExchange, capabilities: unknown): string | undefined {
    const visible = this.#host.toolsFor(principal, sessionId);
    return (supportsViews(capabilities) === false ? this.#forModels : this.#pages).get(visible).get(cursor);
  }

  #pagesOf(listed: WireHost["tools"]): Pages {
    const names = new Set(listed.map(({ name }) => name));
    const items = this.#tools.list(this.#revision).filter(({ name }) => names.has(String(name)));
    return new Pages("tools", items, this.#pageSize);
  }
}
