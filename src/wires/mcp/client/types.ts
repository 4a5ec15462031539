/**
 * What an MCP server has beside tools, as a client sees it.
 *
 * Source: MCP, revision 2026-07-28; members that a newer server adds are kept.
 *
 * @module
 */
import type { ListedTool, Transport } from "../../../core/call/transport.ts";
import type { MaybePromise } from "../../../internal/async.ts";

/** Options of what is asked of a server beside calls of tools. */
export interface McpRequestOptions {
  /** Aborts the request; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long it may take, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number;
}

/** Options of every MCP client. */
export interface McpClientOptions {
  /** How the client names itself; servers show and log it. Default: `toolwire`. */
  readonly clientInfo?: McpImplementation;
  /**
   * Which era of the protocol is spoken: `modern` is 2026-07-28, `legacy` is 2025-11-25 and older. Default: `auto`, which asks
   * the server once.
   */
  readonly era?: "auto" | "modern" | "legacy";
  /**
   * Tools as `list` once gave them. A tool that the server now lists with another description, other arguments or another
   * output is not called; neither is one that is not among them.
   */
  readonly pinned?: readonly ListedTool[];
  /** Told what is wrong with a server that can be used all the same. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void;
}

/** A program that speaks MCP, as it names itself. */
export interface McpImplementation {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** For people. */
  readonly title?: string;
  /** Whatever else it says. */
  readonly [member: string]: unknown;
}

/** What a server says of itself. */
export interface McpServerInfo {
  /** The revision of the protocol that is spoken with it. */
  readonly revision: string;
  /** How it names itself; not to be trusted. */
  readonly info: McpImplementation | undefined;
  /** What it can do, by feature. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** How it wants to be used, for a model. */
  readonly instructions: string | undefined;
}

/** One piece of what a tool, a resource or a prompt holds: `text`, `image`, `audio`, `resource_link` or `resource`. */
export interface McpContent {
  /** Which of them it is. */
  readonly type: string;
  /** The text of a `text`. */
  readonly text?: string;
  /** Base64, of an `image` or `audio`. */
  readonly data?: string;
  /** What the data is, such as `image/png`. */
  readonly mimeType?: string;
  /** Where a `resource_link` points to. */
  readonly uri?: string;
  /** What a `resource` holds. */
  readonly resource?: McpResourceContents;
  /** Whatever else belongs to it. */
  readonly [member: string]: unknown;
}

/** A resource, as it is listed. */
export interface McpResource {
  /** Names it, to the server. */
  readonly uri: string;
  /** Names it, for programs. */
  readonly name: string;
  /** Names it, for people. */
  readonly title?: string;
  /** What it is. */
  readonly description?: string;
  /** Its media type. */
  readonly mimeType?: string;
  /** Its size, in bytes. */
  readonly size?: number;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** A family of resources, as it is listed. */
export interface McpResourceTemplate {
  /** By RFC 6570. */
  readonly uriTemplate: string;
  /** Names it, for programs. */
  readonly name: string;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** What a resource holds: text, or bytes in base64. */
export interface McpResourceContents {
  /** Which resource it is. */
  readonly uri: string;
  /** Its media type. */
  readonly mimeType?: string;
  /** What it holds, if that is text. */
  readonly text?: string;
  /** What it holds, in base64, if it is not. */
  readonly blob?: string;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** A prompt, as it is listed. */
export interface McpPrompt {
  /** Unique on its server. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** What it takes: always text. */
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** A prompt, filled in. */
export interface McpPromptResult {
  /** What it is for. */
  readonly description?: string;
  /** The conversation that it begins with. */
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: McpContent }[];
}

/** What is to be completed: an argument of a prompt, or a variable of a resource's template. */
export interface McpCompletionRequest {
  /** The prompt, or the template. */
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  /** The argument, as far as it is written. */
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments that are already known. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** How it may go on. */
export interface McpCompletion {
  /** At most 100. */
  readonly values: readonly string[];
  /** How many there are. */
  readonly total?: number;
  /** Whether there are more. */
  readonly hasMore?: boolean;
}

/** How bad a log line is, from the least to the worst. */
export type McpLogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** What a server logs, for its clients to see. */
export interface McpLogMessage {
  /** How bad it is. */
  readonly level: McpLogLevel;
  /** Which part of the server says so. */
  readonly logger?: string;
  /** What it says. */
  readonly data: unknown;
}

/** A question of the server to a person: a form by `requestedSchema`, or a page by `url`. */
export interface McpElicitation {
  /** For the person. */
  readonly message: string;
  /** What the answer has to be: a flat object. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
  /** Where the person is to go. */
  readonly url?: string;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** What is said to an {@link McpElicitation}. */
export interface McpElicitationResult {
  /** Whether it is answered; if not, for good or for now. */
  readonly action: "accept" | "decline" | "cancel";
  /** The answer, by the schema. What it leaves out and the schema has a default for, is filled in. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** What the server wants a model to be asked; see `sampling/createMessage` of the protocol. */
export interface McpSampling {
  /** The conversation so far. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** At most so many tokens. */
  readonly maxTokens: number;
  /** What the model is told first. */
  readonly systemPrompt?: string;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** What the model said. */
export interface McpSamplingResult {
  /** Who speaks. */
  readonly role: "user" | "assistant";
  /** What was said: one piece, or several. */
  readonly content: McpContent | readonly McpContent[];
  /** Which model it was. */
  readonly model: string;
  /** Why it ended. */
  readonly stopReason?: string;
}

/** A folder that the server may look into. */
export interface McpRoot {
  /** A `file:` URI. */
  readonly uri: string;
  /** For people. */
  readonly name?: string;
}

/** What can change in a server while it is used. */
export type McpChange = "tools" | "prompts" | "resources";

/** The resources of a server. All of these reject with `ToolError`. */
export interface McpResources {
  /** Lists them all. */
  list(options?: McpRequestOptions): Promise<readonly McpResource[]>;
  /** Lists the families of resources. */
  templates(options?: McpRequestOptions): Promise<readonly McpResourceTemplate[]>;
  /** Reads one. With `resource_not_found` if there is none. */
  read(uri: string, options?: McpRequestOptions): Promise<readonly McpResourceContents[]>;
  /** Has `handler` called whenever the resource has changed, until what this returns is called. */
  subscribe(uri: string, handler: () => void, options?: McpRequestOptions): Promise<() => void>;
}

/** The prompts of a server. Both reject with `ToolError`. */
export interface McpPrompts {
  /** Lists them all. */
  list(options?: McpRequestOptions): Promise<readonly McpPrompt[]>;
  /** Fills one in. */
  get(name: string, args?: Readonly<Record<string, string>>, options?: McpRequestOptions): Promise<McpPromptResult>;
}

/** What a server logs for its clients. */
export interface McpLogging {
  /** Asks for lines as bad as `level`, and worse. Rejects with `ToolError`. */
  setLevel(level: McpLogLevel, options?: McpRequestOptions): Promise<void>;
  /** Has `handler` called with each line, until what this returns is called. */
  onMessage(handler: (message: McpLogMessage) => void): () => void;
}

/** A transport to an MCP server; and what an MCP server has that calls of tools have no word for. */
export interface McpTransport extends Transport {
  /** What the server says of itself. Rejects with `ToolError`. */
  server(options?: McpRequestOptions): Promise<McpServerInfo>;
  /** Its resources. */
  readonly resources: McpResources;
  /** Its prompts. */
  readonly prompts: McpPrompts;
  /** What it logs. */
  readonly logging: McpLogging;
  /** Completes an argument of a prompt, or a variable of a resource's template. Rejects with `ToolError`. */
  complete(request: McpCompletionRequest, options?: McpRequestOptions): Promise<McpCompletion>;
  /** Has `handler` called whenever a list has changed, until what this returns is called. */
  onChange(what: McpChange, handler: () => void): () => void;
  /**
   * Answers what the server asks, in place of the client's `onElicitation`; and what is asked while no tool is called, which nobody
   * answers otherwise. To be set before the transport is used, as are the two others: the server is told then.
   */
  onElicitation(handler: (question: McpElicitation) => MaybePromise<McpElicitationResult>): void;
  /** Asks a model for the server. */
  onSampling(handler: (request: McpSampling) => MaybePromise<McpSamplingResult>): void;
  /** Tells the server into which folders it may look. */
  onRoots(handler: () => MaybePromise<readonly McpRoot[]>): void;
  /** Ends what is open: streams, the session, the server's process. */
  close(): void;
}
