import { Failure } from "../../../core/errors/failure.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import { OBJECT_MEMBERS } from "../../../internal/json.ts";
import type { ToolSource } from "../../../client/types.ts";
import type { PageWindow } from "./page_window.ts";
import { ViewConnection } from "./connection.ts";
import type { ConnectViewOptions, UntypedToolTypes, UntypedView, View, ViewToolName, ViewToolTypes } from "./types.ts";

/**
 * Connects the page of a view to its host: one function for each tool of the server, and `$` for other operations. The types come from the
 * server, as those of `createClient`.
 *
 * Functions of the options receive what the host sends. The host sends nothing before they are set.
 *
 * @example The page of a tool "sales"
 * ```ts fragment server.ts show button
 * import { connectView } from "jsr:@toolwire/toolwire/apps/view";
 * import type { server } from "./server.ts";
 *
 * const view = await connectView<typeof server, "sales">({
 *   onInput: ({ month }) => show(`Sales of month ${month} …`),
 *   onResult: (result) => show(result.kind === "answer" ? result.value.total : result.kind),
 * });
 * button.onclick = async () => show((await view.sales({ month: 5 })).total);
 * ```
 * @typeParam Source Type of the server. Without it the view accepts any tool name.
 * @typeParam Name Names of the tools that have this view. Default: all tools.
 * @throws {ToolError} `unavailable` if the page is not in a frame of a host, or the host does not answer in time.
 */
export function connectView<Source extends ToolSource, Name extends ViewToolName<Source> = ViewToolName<Source>>(
  options?: ConnectViewOptions<ViewToolTypes<Source, Name>>,
): Promise<View<Source>>;
/**
 * Connects the page of a view to its host. The types of the tools are not known.
 *
 * @throws {ToolError} `unavailable` if the page is not in a frame of a host, or the host does not answer in time.
 */
export function connectView(options?: ConnectViewOptions<UntypedToolTypes>): Promise<UntypedView>;
export async function connectView(options: ConnectViewOptions<UntypedToolTypes> = {}): Promise<UntypedView> {
  const { window } = globalThis as unknown as { readonly window?: PageWindow };
  if (window === undefined || window.parent === window as unknown) {
    throw new ToolError("unavailable", "Cannot connect the view: the page is not in a frame of a host");
  }
  // The one cast: decoded results have the types of the server.
  const connection = new ViewConnection(window, options as ConstructorParameters<typeof ViewConnection>[1]);
  await connection.open();
  const tools = new Map<string, unknown>([["$", connection]]);
  return new Proxy({ $: connection }, {
    get(_, name) {
      // A member "then" would make a promise of the view.
      if (typeof name === "symbol" || OBJECT_MEMBERS.has(name)) return undefined;
      const tool = tools.get(name) ?? toolCall(connection, name);
      tools.set(name, tool);
      return tool;
    },
  }) as unknown as UntypedView;
}

function toolCall(connection: ViewConnection, name: string): unknown {
  return Object.assign(connection.callTool.bind(connection, name), {
    isFailure: (error: unknown) => error instanceof Failure,
  });
}
