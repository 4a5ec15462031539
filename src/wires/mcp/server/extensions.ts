import type { ContentExtension, ExtensionPage } from "../../../core/content/extension.ts";
import type { Members } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { cursorError, Pages } from "./pages.ts";
import { errorResponse, resultResponse, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";

/** Extensions of MCP that the catalog of a server adds: their settings for the declared capabilities, and their methods. */
export class Extensions {
  /** Settings by identifier, for the capabilities of the server. */
  readonly declared: Members;
  readonly #pageSize: number;
  readonly #methods: ReadonlyMap<string, ContentExtension["methods"][string]>;
  readonly #pages = new WeakMap<object, Pages>();

  constructor({ catalog }: WireHost, pageSize: number) {
    const extensions = catalog?.extensions ?? [];
    this.declared = Object.fromEntries(extensions.map(({ id, settings }) => [id, settings]));
    this.#methods = new Map(extensions.flatMap(({ methods }) => Object.entries(methods)));
    this.#pageSize = pageSize;
  }

  /** Answers a request for a method of an extension. `undefined` if no extension has the method. */
  answer({ id, method, params }: RequestMessage, revision: Revision): RpcResponse | undefined {
    const answer = this.#methods.get(method)?.(params);
    if (answer === undefined) return undefined;
    if ("kind" in answer) return errorResponse(id, answer);
    const json = "members" in answer
      ? JSON.stringify(answer.members).slice(1, -1)
      : this.#pagesOf(answer).get(params["cursor"]);
    if (json === undefined) return errorResponse(id, cursorError(params["cursor"]));
    return resultResponse(id, revision.cacheable(json));
  }

  /** Each list is encoded once. */
  #pagesOf({ list, items }: ExtensionPage): Pages {
    let pages = this.#pages.get(items);
    if (pages === undefined) {
      pages = new Pages(list, items, this.#pageSize);
      this.#pages.set(items, pages);
    }
    return pages;
  }
}
