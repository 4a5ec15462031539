/** Types of a view, derived from those of its server. */
import type { AnswerOutcome, ErrorResult, UnknownOutcome } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { AnyTool, ToolTypes } from "../../../core/tool/definition.ts";
import type { DeclaredFailure, DeclaredFailureError, ToolsOf, ToolSource } from "../../../client/types.ts";

/** How a host shows a view: within the conversation, on the whole screen, or as a picture in picture. */
export type DisplayMode = "inline" | "fullscreen" | "pip";

/** What a host says of itself and of the place of the view. All members may be absent. */
export interface HostContext {
  /** Colours of the host. */
  readonly theme?: "light" | "dark";
  /** Styles of the host: CSS variables such as `--color-text-primary`, and fonts. */
  readonly styles?: {
    readonly variables?: Readonly<Record<string, string | undefined>>;
    readonly css?: { readonly fonts?: string };
  };
  /** Mode in which the host shows the view now. */
  readonly displayMode?: DisplayMode;
  /** Modes in which the host can show the view. */
  readonly availableDisplayModes?: readonly DisplayMode[];
  /** Size of the frame in CSS pixels: `width` and `height` are fixed, `maxWidth` and `maxHeight` are limits, absent ones are free. */
  readonly containerDimensions?: Readonly<Partial<Record<"width" | "height" | "maxWidth" | "maxHeight", number>>>;
  /** BCP 47 tag of the language. */
  readonly locale?: string;
  /** IANA name of the time zone. */
  readonly timeZone?: string;
  /** Kind of the host. */
  readonly platform?: "web" | "desktop" | "mobile";
  /** Whether the device has touch and hover. */
  readonly deviceCapabilities?: { readonly touch?: boolean; readonly hover?: boolean };
  /** Insets of the frame in CSS pixels that the host covers. */
  readonly safeAreaInsets?: Readonly<Record<"top" | "right" | "bottom" | "left", number>>;
  /** The call that the view is shown for. */
  readonly toolInfo?: { readonly id?: string | number; readonly tool: { readonly name: string } };
  /** Other members. */
  readonly [member: string]: unknown;
}

/** Names of all tools of a server, as a union. */
export type ViewToolName<Source extends ToolSource> = ToolsOf<Source>["name"];

/** Types of input, output and declared failures of the tools with these names. */
export type ViewToolTypes<Source extends ToolSource, Name extends string> =
  Extract<ToolsOf<Source>, { readonly name: Name }> extends infer Found
    ? Found extends AnyTool ? NonNullable<Found["~types"]> : never
    : never;

/** Types of a tool that is unknown to the type checker: any object as input, any output, and no declared failures. */
export type UntypedToolTypes = ToolTypes<Readonly<Record<string, unknown>>, unknown, unknown, Record<never, never>>;

/** An input that a model is still writing: any member may be absent, and texts may be cut. */
export type PartialInput<Input> = Input extends readonly (infer Item)[] ? readonly PartialInput<Item>[]
  : Input extends object ? { readonly [Name in keyof Input]?: PartialInput<Input[Name]> }
  : Input;

/** Result of the call: its answer, a failure that the tool declares, an error, or a result of a kind that this version does not know. */
export type ViewResult<Types> = Types extends ToolTypes<unknown, infer Output, unknown, infer Errors>
  ? AnswerOutcome<Output> | DeclaredFailure<Errors> | ErrorResult | UnknownOutcome
  : never;

/**
 * Options of `connectView()`: what the host sends is handled by functions that are set before it may send.
 *
 * @typeParam Types Types of the tools that have the view.
 */
export interface ConnectViewOptions<Types extends ToolTypes<unknown, unknown, unknown, unknown>> {
  /** Name of the view for the host. Default: the title of the page. */
  readonly name?: string | undefined;
  /** Version of the view. Default: `"0.0.0"`. */
  readonly version?: string | undefined;
  /** Receives the input while the model writes it. Only show it; do not act on it. */
  readonly onPartialInput?: ((input: PartialInput<Types["input"]>) => void) | undefined;
  /** Receives the input of the call, before its result. */
  readonly onInput?: ((input: Types["input"]) => void) | undefined;
  /** Receives the result of the call. */
  readonly onResult?: ((result: ViewResult<Types>) => void) | undefined;
  /** The call was cancelled: there will be no result. */
  readonly onCancelled?: ((reason: string | undefined) => void) | undefined;
  /** Receives the context at the start, and after each change. */
  readonly onContext?: ((context: HostContext) => void) | undefined;
  /** The host is about to remove the view, and waits for the end of this function. */
  readonly onTeardown?: (() => MaybePromise<void>) | undefined;
  /** Modes that the view supports. Default: the host assumes `inline`. */
  readonly displayModes?: readonly DisplayMode[] | undefined;
  /** Whether theme, CSS variables and fonts of the host are set on the document. Default: `true`. */
  readonly applyStyles?: boolean | undefined;
  /** Whether the height of the document is reported when it changes. Default: `true`. */
  readonly reportSize?: boolean | undefined;
  /** Time limit of the first answer of the host, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** Options of one call of a tool, or of one request, by a view. */
export interface ViewCallOptions {
  /** Aborts the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A tool as a function of a view.
 *
 * @typeParam Types Types of the tool.
 */
export interface ViewToolCall<Types extends ToolTypes<unknown, unknown, unknown, unknown>> {
  /**
   * Calls the tool through the host and returns its answer.
   *
   * Rejects with `Failure` for a failure that the tool declares, with `ToolError` for an error and a refusal of the host, and with the reason
   * of the signal if aborted.
   */
  (
    ...args: Record<never, never> extends Types["input"] ? [input?: Types["input"], options?: ViewCallOptions]
      : [input: Types["input"], options?: ViewCallOptions]
  ): Promise<Types["output"]>;
  /** Whether an exception is a failure. Narrows its data by the declared codes, but cannot check which tool it is from. */
  isFailure(error: unknown): error is DeclaredFailureError<Types["errors"]>;
}

/** Operations of a view other than calling tools. Those that return a promise reject with `ToolError` if the host refuses them. */
export interface ViewMethods {
  /** Name, version and capabilities of the host. */
  readonly host: HostDescription;
  /** The current context. */
  readonly context: HostContext;
  /** Opens a link in the user's browser. */
  openLink(url: string): Promise<void>;
  /** Writes a message of the user into the conversation: text, or content blocks of MCP. */
  sendMessage(content: string | readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Sets what the model knows of the view, for its next turn. It replaces what was set before. */
  updateModelContext(context: ModelContextUpdate): Promise<void>;
  /** Asks for a mode. Returns the mode that was set. */
  requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>;
  /** Reads a resource of the server. Returns its contents, not checked. */
  readResource(uri: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Sends another request, such as one of a draft. Returns the result, not checked. */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: ViewCallOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Reports the size of the content in CSS pixels, in addition to what `reportSize` reports. */
  reportSize(size: { readonly width?: number | undefined; readonly height?: number | undefined }): void;
  /** Sends a line to the log of the host. */
  log(level: "debug" | "info" | "notice" | "warning" | "error", data: unknown): void;
  /** Asks the host to remove the view. It then calls `onTeardown`. */
  requestTeardown(): void;
  /** Ends the connection: pending calls are `cancelled`. */
  close(): void;
}

/** A host, as it describes itself. Not verified. */
export interface HostDescription {
  /** Name of the host. */
  readonly name: string;
  /** Version of the host. */
  readonly version: string;
  /** What it supports: `serverTools`, `serverResources`, `openLinks` and others. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** What a view reports to the model about itself, by `updateModelContext()`. */
export interface ModelContextUpdate {
  /** Content blocks of MCP. */
  readonly content?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** JSON. */
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A view: one function for each tool of its server, and `$` for other operations.
 *
 * @typeParam Source Type of the server: `View<typeof server>`.
 */
export type View<Source extends ToolSource> =
  & { readonly [T in ToolsOf<Source> as T["name"]]: ViewToolCall<NonNullable<T["~types"]>> }
  & {
    /** Other operations. `$` is not a valid tool name. */
    readonly $: ViewMethods;
  };

/** A view whose tools are unknown to the type checker. */
export type UntypedView =
  & {
    /** Any tool. */
    readonly [name: string]: ViewToolCall<UntypedToolTypes>;
  }
  & {
    /** Other operations. `$` is not a valid tool name. */
    readonly $: ViewMethods;
  };
