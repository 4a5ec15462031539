/** A server of MCP-lite under examination, on one of its bindings. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import type { Binding, CallReply, ChosenTool, ListReply, StreamReply } from "./binding.ts";
import { lacks } from "./check.ts";
import type { ConformanceOptions } from "./options.ts";
import { type CandidateTool, toCandidateTool, ToolChoice, type TriedTool } from "./tool_choice.ts";

/** Values of `_meta.response_type` that MCP-lite defines, as they are written over HTTP. */
export const RESPONSE_TYPES: readonly unknown[] = [
  "answer",
  "promise",
  "elicitation",
  "failure",
  "request-for-more-resource",
];

/** Name of a tool that no server has, for the checks of errors. */
export const UNKNOWN_TOOL = "conformance_unknown_tool";

/** A server over one binding. The list, the choice of tools and the replies that several checks use are requested once and kept. */
export class McpLiteServer<Wire extends Binding = Binding> {
  readonly binding: Wire;
  readonly choice: ToolChoice;
  /** The same server on HTTP, if both bindings are checked. */
  readonly other: McpLiteServer | undefined;
  #list: Promise<ListReply> | undefined;
  #unknown: Promise<CallReply> | undefined;
  #stream: Promise<{ readonly chosen: ChosenTool; readonly reply: StreamReply }> | undefined;

  constructor(binding: Wire, options: ConformanceOptions, other?: McpLiteServer) {
    this.binding = binding;
    this.other = other;
    this.choice = new ToolChoice(options, () => this.#known(), ({ name, args }) => binding.call(name, args));
  }

  list(): Promise<ListReply> {
    return (this.#list ??= this.binding.list());
  }

  /** The entries of the list. The check does not apply if there is no list. */
  async tools(): Promise<{ readonly tools: readonly Members[]; readonly reply: ListReply }> {
    const reply = await this.list();
    return { tools: reply.tools ?? lacks("The server gives no list of tools"), reply };
  }

  async #known(): Promise<readonly CandidateTool[]> {
    const { tools = [] } = await this.list();
    return tools.flatMap((tool) => toCandidateTool(tool, "inputSchema") ?? []);
  }

  /** A tool that gives an answer. */
  answer(): Promise<TriedTool> {
    return this.choice.called("tool", givesAnswer, "gives an answer");
  }

  promise(): Promise<TriedTool> {
    return this.choice.called("promiseTool", ({ meta }) => meta?.["response_type"] === "promise", "gives a promise");
  }

  /** The token of a promise. The check does not apply if the tool gives none. */
  async token(): Promise<{ readonly token: string; readonly called: TriedTool }> {
    const called = await this.promise();
    const token = called.reply.meta?.["promise_token"];
    if (typeof token === "string" && token !== "") return { token, called };
    return lacks(`The tool ${called.chosen.name} gave no promise token`);
  }

  /** The tool `redeem` of the list. The check does not apply if it is not listed. */
  async redeemTool(): Promise<{ readonly tool: Members; readonly reply: ListReply }> {
    const { tools, reply } = await this.tools();
    const tool = tools.find(({ name }) => name === "redeem");
    return { tool: tool ?? lacks("The server does not list redeem, so it gives no promises"), reply };
  }

  unknownTool(): Promise<CallReply> {
    return (this.#unknown ??= this.binding.call(UNKNOWN_TOOL, {}));
  }

  /** The stream of a tool that sends partial results, or of the named one. */
  stream(): Promise<{ readonly chosen: ChosenTool; readonly reply: StreamReply }> {
    return (this.#stream ??= this.#openStream());
  }

  async #openStream(): Promise<{ readonly chosen: ChosenTool; readonly reply: StreamReply }> {
    const named = await this.choice.named("streamTool");
    if (named !== undefined) return { chosen: named, reply: await this.binding.stream(named.name, named.args) };
    for (const { chosen, reply } of await this.choice.tried()) {
      if (reply.error !== undefined) continue;
      const streamed = await this.binding.stream(chosen.name, chosen.args);
      if (streamed.messages?.some(({ data }) => data !== undefined && "partial" in data)) {
        return { chosen, reply: streamed };
      }
    }
    return lacks("No tool that only reads sends partial results; name one: streamTool");
  }

  /** The messages of {@link stream}. The check does not apply if the response is not a stream. */
  async messages(): Promise<{ readonly messages: NonNullable<StreamReply["messages"]>; readonly reply: StreamReply }> {
    const { reply } = await this.stream();
    return { messages: reply.messages ?? lacks("The response is not a stream"), reply };
  }
}

/** Whether a reply is a result of the type `answer`, which is also the type of a result without one. */
export function givesAnswer({ result, meta }: CallReply): boolean {
  return isJsonObject(result) && (meta?.["response_type"] ?? "answer") === "answer";
}
