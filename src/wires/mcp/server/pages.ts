import type { Principal } from "../../../core/call/call.ts";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { isForModels, supportsViews } from "../../../core/call/views.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import { ALL_TOOLS } from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
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
  #listed: WireHost["tools"] = [];
  #all: Pages;
  /** The list for clients that are known to show no views: without the tools of views alone. The full one if there is no such tool. */
  #forModels: Pages;
  /** The last page that was sent, the id of its request, and the response. */
  #lastPage = "";
  #lastId: RequestMessage["id"] = "";
  #lastResponse: RpcResponse | undefined;

  constructor(host: WireHost, tools: McpTools, revision: Revision, pageSize: number) {
    this.#host = host;
    this.#tools = tools;
    this.#revision = revision;
    this.#pageSize = pageSize;
    this.#all = this.#forModels = this.#pagesOf([]);
    this.#read(host.tools);
  }

  /**
   * Answers `tools/list`. Clients count ids from the same number and list the tools first, so that most requests have the same id:
   * the last response is reused for it. A long list would otherwise be copied for each request.
   */
  list(request: RequestMessage, principal: Principal | undefined, capabilities: unknown): RpcResponse {
    const { id, params: { cursor, _meta } } = request;
    const { allTools } = this.#host;
    if (allTools !== undefined && isJsonObject(_meta) && _meta[ALL_TOOLS] === true) {
      this.#complete ??= new ToolPages(allTools, this.#tools, this.#revision, this.#pageSize);
      return this.#complete.list(request, principal, capabilities);
    }
    const page = this.#page(cursor, principal, capabilities);
    if (page === undefined) return errorResponse(id, cursorError(cursor));
    if (this.#lastResponse !== undefined && id === this.#lastId && page === this.#lastPage) return this.#lastResponse;
    this.#lastId = id;
    this.#lastPage = page;
    return this.#lastResponse = resultResponse(id, this.#revision.cacheable(page));
  }

  #page(cursor: unknown, principal: Principal | undefined, capabilities: unknown): string | undefined {
    const { tools } = this.#host;
    if (tools !== this.#listed) this.#read(tools);
    const visible = this.#host.toolsFor(principal);
    const showsViews = this.#forModels === this.#all || supportsViews(capabilities) !== false;
    if (visible === tools) return (showsViews ? this.#all : this.#forModels).get(cursor);
    return this.#pagesOf(showsViews ? visible : visible.filter(isForModels)).get(cursor);
  }

  #read(tools: WireHost["tools"]): void {
    this.#listed = tools;
    this.#all = this.#pagesOf(tools);
    const forModels = tools.filter(isForModels);
    this.#forModels = forModels.length === tools.length ? this.#all : this.#pagesOf(forModels);
  }

  #pagesOf(listed: WireHost["tools"]): Pages {
    const names = new Set(listed.map(({ name }) => name));
    const items = this.#tools.list(this.#revision).filter(({ name }) => names.has(String(name)));
    return new Pages("tools", items, this.#pageSize);
  }
}
