import type { ContentExtension, ExtensionPage } from "../../../core/content/extension.ts";
import type { Members } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { McpExchange } from "./exchange.ts";
import { cursorError, Pages } from "./pages.ts";
import { errorResponse, resultResponse, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";

/** Extensions of MCP that the catalog of a server adds: their settings for the declared capabilities, and their methods. */
export class Extensions {
  /** Settings by identifier, for the capabilities of the server. */
  readonly declared: Members;
  readonly #pageSize: number;
  readonly #catalog: WireHost["catalog"];
  readonly #pages = new WeakMap<object, Pages>();

  constructor({ catalog }: WireHost, pageSize: number) {
    const extensions = catalog?.extensionsFor(undefined) ?? [];
    this.declared = Object.fromEntries(extensions.map(({ id, settings }) => [id, settings]));
    this.#catalog = catalog;
    this.#pageSize = pageSize;
  }

  /** Answers a request for a method of an extension. `undefined` if no extension has the method. */
  answer(
    { id, method, params }: RequestMessage,
    revision: Revision,
    { principal, sessionId }: McpExchange,
  ): RpcResponse | undefined {
    const extensions = this.#catalog?.extensionsFor(principal, sessionId) ?? [];
    const answer = methodOf(extensions, method)?.(params);
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

function methodOf(
  extensions: readonly ContentExtension[],
  name: string,
): ContentExtension["methods"][string] | undefined {
  for (const { methods } of extensions) if (Object.hasOwn(methods, name)) return methods[name];
  return undefined;
}
