/** The side of MCP that the Claude Agent SDK uses of a server in its process: tools, progress, cancellation. */
import type { Progress } from "../../core/call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { AgentTool } from "./agent_tool.ts";
import type { AnswerPart } from "./answer_content.ts";

/** A message of JSON-RPC. */
export type ClaudeMessage = Readonly<Record<string, unknown>>;

/** Transport of the SDK, as the MCP SDK defines it. */
export interface ClaudeTransport {
  /** Starts the delivery of messages. */
  start(): Promise<void>;
  /** Sends a message. */
  send(message: ClaudeMessage): Promise<void>;
  /** Called with each message. */
  onmessage?: (message: ClaudeMessage) => void;
  /** Called when the connection is closed. */
  onclose?: () => void;
}

/** A call under way, which a cancellation aborts. */
interface RunningCall {
  readonly abort: AbortController;
  readonly progressToken: unknown;
}

type Id = string | number;

const PROTOCOL_VERSION = "2025-11-25";
const ALWAYS_LOAD = "anthropic/alwaysLoad";
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** An error that answers a request. */
interface ErrorReply {
  readonly refused: { readonly code: number; readonly message: string };
}

/** Serves tools to one connection of the Claude Agent SDK: an MCP server over its transport. */
export class ClaudeSession {
  readonly #name: string;
  readonly #running = new Map<string, RunningCall>();
  #tools: ReadonlyMap<string, AgentTool> = new Map();
  #alwaysLoad: ReadonlySet<string> = new Set();
  #transport: ClaudeTransport | undefined = undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** @param alwaysLoad Names on the server of tools that Claude does not defer. */
  open(tools: readonly AgentTool[], alwaysLoad: ReadonlySet<string>): void {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#alwaysLoad = alwaysLoad;
  }

  async connect(transport: ClaudeTransport): Promise<void> {
    this.#transport = transport;
    transport.onmessage = (message) => void this.#receive(message);
    transport.onclose = () => {
      for (const { abort } of this.#running.values()) abort.abort(new Error("The agent closed the connection"));
    };
    await transport.start();
  }

  /** Sends the progress of a call. */
  report(id: string | undefined, { done, total, message }: Progress): void {
    const progressToken = this.#running.get(id ?? "")?.progressToken;
    if (progressToken === undefined) return;
    const params = {
      progressToken,
      progress: done,
      ...(total !== undefined && { total }),
      ...(message && { message }),
    };
    void this.#send({ method: "notifications/progress", params });
  }

  async #receive({ id, method, params }: ClaudeMessage): Promise<void> {
    const fields = isJsonObject(params) ? params : {};
    if (typeof id !== "string" && typeof id !== "number") {
      if (method === "notifications/cancelled") this.#running.get(String(fields["requestId"]))?.abort.abort();
      return;
    }
    const answer = await this.#answer(id, method, fields);
    await this.#send("refused" in answer ? { id, error: answer.refused } : { id, result: answer });
  }

  #answer(id: Id, method: unknown, params: ClaudeMessage): ClaudeMessage | ErrorReply | Promise<ClaudeMessage> {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: PROTOCOL_VERSION,
          capabilities: { tools: {} },
          serverInfo: { name: this.#name, version: "1.0.0" },
        };
      case "ping":
        return {};
      case "tools/list":
        return { tools: [...this.#tools.values()].map((tool) => this.#list(tool)) };
      case "tools/call":
        return this.#call(id, params);
      default:
        return { refused: { code: METHOD_NOT_FOUND, message: `Method not found: ${String(method)}` } };
    }
  }

  #list({ name, description = name, parameters, listing }: AgentTool): ClaudeMessage {
    const { title, annotations, _meta } = listing;
    const meta = {
      ...(isJsonObject(_meta) && _meta),
      ...(this.#alwaysLoad.has(listing.name) && { [ALWAYS_LOAD]: true }),
    };
    return {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema: { ...parameters.schema, type: "object" },
      ...(annotations !== undefined && { annotations }),
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    };
  }

  #call(id: Id, { name, arguments: args = {}, _meta }: ClaudeMessage): ErrorReply | Promise<ClaudeMessage> {
    const tool = this.#tools.get(String(name));
    if (tool === undefined) return { refused: { code: INVALID_PARAMS, message: `Unknown tool: ${String(name)}` } };
    return this.#run(tool, String(id), args, isJsonObject(_meta) ? _meta["progressToken"] : undefined);
  }

  async #run(tool: AgentTool, id: string, args: unknown, progressToken: unknown): Promise<ClaudeMessage> {
    const abort = new AbortController();
    this.#running.set(id, { abort, progressToken });
    try {
      const { text, error, content } = await tool.call(args, { id, signal: abort.signal });
      return {
        content: content?.map(toBlock) ?? [{ type: "text", text }],
        ...(error !== undefined && { isError: true }),
      };
    } catch (thrown) {
      // The call was aborted, or a function of the application threw.
      const text = thrown instanceof Error ? thrown.message : String(thrown);
      return { content: [{ type: "text", text }], isError: true };
    } finally {
      this.#running.delete(id);
    }
  }

  async #send(message: ClaudeMessage): Promise<void> {
    // The transport of a closed connection throws.
    await this.#transport?.send({ jsonrpc: "2.0", ...message }).catch(() => {});
  }
}

/** A part of an answer as a block of MCP. */
function toBlock(part: AnswerPart): ClaudeMessage {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mimeType, name = "file" } = part;
  const [top] = mimeType.split("/");
  if (top === "image" || top === "audio") return { type: top, data, mimeType };
  return { type: "resource", resource: { uri: `file:///${name}`, mimeType, blob: data } };
}
