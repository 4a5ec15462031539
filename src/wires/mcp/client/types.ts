/**
 * Public types of the MCP client.
 *
 * Source: MCP, revision 2026-07-28. Members that are not declared here are kept.
 */
import type { Principal } from "../../../core/call/call.ts";
import type { ListedTool, Transport } from "../../../core/call/transport.ts";
import type { Logger } from "../../../core/handler/context.ts";
import type { MaybePromise } from "../../../internal/async.ts";

/** Options of a request that is not a tool call. */
export interface McpRequestOptions {
  /** Aborts the request, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Caller that the request is for, as behind a `gateway`. A function for `headers` receives it. Default: none. */
  readonly principal?: Principal | undefined;
}

/** Options of every MCP client. */
export interface McpClientOptions {
  /** Name and version of the client; servers may show and log them. Default: name `toolwire`, version of this package. */
  readonly clientInfo?: McpImplementation | undefined;
  /**
   * Era of the protocol: `modern` is 2026-07-28, `legacy` is 2025-11-25 and older. Default: `auto`, which detects it with one
   * request.
   */
  readonly era?: "auto" | "modern" | "legacy" | undefined;
  /**
   * Reviewed tools, as returned by `list()`. Calls of a tool fail with `permission_denied` if its description, input schema or
   * output schema has changed, or if it is not in this array.
   */
  readonly pinned?: readonly ListedTool[] | undefined;
  /**
   * Whether to list all tools of a server that lists a selection and lets models search for the others, as with `discover()`. Other
   * servers ignore it. Default: `false`.
   */
  readonly allTools?: boolean | undefined;
  /** Receives warnings about problems of the server that do not fail a request. Default: `console`. */
  readonly logger?: Logger | undefined;
}

/** Name and version of a client or server. */
export interface McpImplementation {
  /** Name, for programs. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** Name, for people. */
  readonly title?: string | undefined;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** Information that a server has sent about itself, with the revision that the client uses with it. */
export interface McpServerInfo {
  /** Revision of the protocol that is used with it. */
  readonly revision: string;
  /** Name and version. Not verified. */
  readonly info: McpImplementation | undefined;
  /** Its capabilities. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Instructions for a model. */
  readonly instructions: string | undefined;
}

/** A content block: `text`, `image`, `audio`, `resource_link` or `resource`. */
export interface McpContent {
  /** Type of the block. */
  readonly type: string;
  /** Text of a `text` block. */
  readonly text?: string;
  /** Data of an `image` or `audio` block, in base64. */
  readonly data?: string;
  /** Media type of the data, such as `image/png`. */
  readonly mimeType?: string;
  /** URI of a `resource_link` block. */
  readonly uri?: string;
  /** Contents of a `resource` block. */
  readonly resource?: McpResourceContents;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** A resource as a server lists it, without its contents. */
export interface McpResource {
  /** URI; identifies the resource. */
  readonly uri: string;
  /** Name, for programs. */
  readonly name: string;
  /** Name, for people. */
  readonly title?: string;
  /** Description of the resource. */
  readonly description?: string;
  /** Media type. */
  readonly mimeType?: string;
  /** Size in bytes. */
  readonly size?: number;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** A template as a server lists it: a pattern for the URIs of many resources. */
export interface McpResourceTemplate {
  /** URI template (RFC 6570). */
  readonly uriTemplate: string;
  /** Name, for programs. */
  readonly name: string;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** Contents of a resource: text, or bytes in base64. */
export interface McpResourceContents {
  /** URI of the resource. */
  readonly uri: string;
  /** Media type. */
  readonly mimeType?: string;
  /** Text of a text resource. */
  readonly text?: string;
  /** Bytes of a binary resource, in base64. */
  readonly blob?: string;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** A prompt as a server lists it, without its messages. */
export interface McpPrompt {
  /** Name; unique on its server. */
  readonly name: string;
  /** Purpose of the prompt. */
  readonly description?: string;
  /** Arguments; their values are strings. */
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** Other members. */
  readonly [member: string]: unknown;
}

/** A prompt as a server returns it for given arguments: messages for a model. */
export interface McpPromptResult {
  /** Purpose of the prompt. */
  readonly description?: string;
  /** Messages of the conversation. */
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: McpContent }[];
}

/** An argument of a prompt, or a variable of a resource template, that is to be completed. */
export interface McpCompletionRequest {
  /** The prompt or the template. */
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  /** Name of the argument, and its text so far. */
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of other arguments. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** Values that the server proposes for an argument while it is typed. */
export interface McpCompletion {
  /** Values, at most 100. */
  readonly values: readonly string[];
  /** Number of all values. */
  readonly total?: number;
  /** Whether there are more values than these. */
  readonly hasMore?: boolean;
}

/** Level of a server's log message. `debug` is the least severe, `emergency` the most. */
export type McpLogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** A log message that the server sent to the client. */
export interface McpLogMessage {
  /** Level. */
  readonly level: McpLogLevel;
  /** Part of the server that logs it. */
  readonly logger?: string;
  /** The message. */
  readonly data: unknown;
}

/** A question of the server to the user: a form if it has `requestedSchema`, a page if it has `url`. */
export interface McpElicitation {
  /** Text for the user. */
  readonly message: string;
  /** JSON Schema of the answer: an object without nesting. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
  /** URL that the user has to visit. */
  readonly url?: string;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** The answer of the client's user to an {@link McpElicitation}. */
export interface McpElicitationResult {
  /** `accept` with the answer, `decline` to refuse it, `cancel` to dismiss the question. */
  readonly action: "accept" | "decline" | "cancel";
  /** The answer. Fields that it leaves out get the default of the schema. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A request of the server to a model: parameters of `sampling/createMessage`. */
export interface McpSampling {
  /** Messages of the conversation. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** Maximum number of tokens of the answer. */
  readonly maxTokens: number;
  /** System prompt. */
  readonly systemPrompt?: string;
  /** Other members. */
  readonly [member: string]: unknown;
}

/** The answer of the client's model to an {@link McpSampling}. */
export interface McpSamplingResult {
  /** Role of the message. */
  readonly role: "user" | "assistant";
  /** One content block, or several. */
  readonly content: McpContent | readonly McpContent[];
  /** Name of the model. */
  readonly model: string;
  /** Reason why the model stopped. */
  readonly stopReason?: string;
}

/** A folder that the server may access. */
export interface McpRoot {
  /** A `file:` URI. */
  readonly uri: string;
  /** Name, for people. */
  readonly name?: string | undefined;
}

/** A list of a server whose changes a client can be notified of. */
export type McpChange = "tools" | "prompts" | "resources";

/** Resources of a server. All methods reject with `ToolError`. */
export interface McpResources {
  /** Lists all resources, of all pages. */
  list(options?: McpRequestOptions): Promise<readonly McpResource[]>;
  /** Lists all templates of resources, of all pages. */
  templates(options?: McpRequestOptions): Promise<readonly McpResourceTemplate[]>;
  /** Reads a resource. Rejects with `resource_not_found` if it does not exist. */
  read(uri: string, options?: McpRequestOptions): Promise<readonly McpResourceContents[]>;
  /** Calls `handler` when the resource changes, until the returned function is called. Rejects if the server sends no such changes. */
  subscribe(uri: string, handler: () => void, options?: McpRequestOptions): Promise<() => void>;
}

/** Prompts of a server. All methods reject with `ToolError`. */
export interface McpPrompts {
  /** Lists all prompts, of all pages. */
  list(options?: McpRequestOptions): Promise<readonly McpPrompt[]>;
  /** Returns the messages of a prompt for the given arguments. */
  get(name: string, args?: Readonly<Record<string, string>>, options?: McpRequestOptions): Promise<McpPromptResult>;
}

/** Receives log messages of a server, and sets their lowest level. */
export interface McpLogging {
  /** Sets the lowest level of messages that the server sends. Rejects with `ToolError`. */
  setLevel(level: McpLogLevel, options?: McpRequestOptions): Promise<void>;
  /** Calls `handler` with each message, until the returned function is called. */
  onMessage(handler: (message: McpLogMessage) => void): () => void;
}

/** A transport to an MCP server, with the features of MCP beside tools. */
export interface McpTransport extends Transport {
  /** Reads the server's information about itself. Rejects with `ToolError`. */
  server(options?: McpRequestOptions): Promise<McpServerInfo>;
  /** Resources. */
  readonly resources: McpResources;
  /** Prompts. */
  readonly prompts: McpPrompts;
  /** Log messages. */
  readonly logging: McpLogging;
  /** Completes an argument of a prompt, or a variable of a resource template. Rejects with `ToolError`. */
  complete(request: McpCompletionRequest, options?: McpRequestOptions): Promise<McpCompletion>;
  /**
   * Sends a request that this transport has no method for, such as one of an extension. Questions of the server are answered by the
   * handlers.
   *
   * @returns The result, not checked.
   * @throws {ToolError} If the server answers with an error, cannot be reached, or has a question without a handler.
   */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: McpRequestOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Calls `handler` when a list changes, until the returned function is called. Problems are warnings of the option `logger`. */
  onChange(list: McpChange, handler: () => void): () => void;
  /**
   * Sets the handler of the server's questions. It replaces the client's `onElicitation`, and also answers questions that are asked
   * outside of tool calls. Set all three handlers before the first request: the server receives the capabilities then.
   */
  onElicitation(handler: (question: McpElicitation) => MaybePromise<McpElicitationResult>): void;
  /** Sets the handler of the server's requests to a model. */
  onSampling(handler: (request: McpSampling) => MaybePromise<McpSamplingResult>): void;
  /** Sets the handler that lists the folders that the server may access. */
  onRoots(handler: () => MaybePromise<readonly McpRoot[]>): void;
  /**
   * Declares to the server that it may ask for sampling and roots although there are no handlers. Such a question is then the
   * outcome of the call that it belongs to, as other questions are. A question that belongs to no call, or to one of several, is
   * refused: any caller could answer it for the others. `gateway()` calls it. Call it before the first request.
   *
   * @param roots Folders that answer each request for roots, in place of the callers. Default: callers answer those of their calls.
   * @param options With `isOfOneUser`, all calls are of one person, as in a program at a terminal: a question that names no call belongs to the
   * oldest one. Default: `false`.
   */
  relayQuestions(roots?: readonly McpRoot[], options?: { readonly isOfOneUser?: boolean | undefined }): void;
  /** Sets the option `allTools`. `gateway()` calls it, so that it has all tools of the server. Call it before the first list. */
  listAllTools(): void;
  /**
   * Declares an extension to the server, such as `io.modelcontextprotocol/ui` of a host that shows views. `gateway()` declares that one.
   * Call it before the first request.
   *
   * @param settings Settings of the extension, such as `{ mimeTypes: ["text/html;profile=mcp-app"] }`.
   */
  declareExtension(id: string, settings: Readonly<Record<string, unknown>>): void;
  /** Closes streams, the session and the server's process. */
  close(): void;
}
