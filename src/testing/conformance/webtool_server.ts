/** A webtool under examination. */
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import type { CallReply, ErrorReply } from "./binding.ts";
import { lacks } from "./check.ts";
import { givesAnswer } from "./mcp_lite_server.ts";
import type { ConformanceOptions } from "./options.ts";
import type { HttpReply, HttpSender } from "./send.ts";
import { type CandidateTool, toCandidateTool, ToolChoice, type TriedTool } from "./tool_choice.ts";

const ERROR_KINDS: Readonly<Record<string, ErrorReply["kind"]>> = {
  SCHEMA_ERROR: "invalid params",
  WEBTOOL_NOT_FOUND: "not found",
  INTERNAL_ERROR: "internal",
};

/** The webtool that the suite checks: requests its metadata, once for the latest version, and executes actions. */
export class WebtoolServer {
  readonly choice: ToolChoice;
  readonly sender: HttpSender;
  readonly url: string;
  #metadata: Promise<HttpReply> | undefined;

  constructor(sender: HttpSender, url: string | URL, options: ConformanceOptions) {
    this.sender = sender;
    this.url = `${String(url).replace(/\/$/, "")}/`;
    // With its version: without one, another rule applies.
    const call = async (tool: string, args: Members) => {
      const { version } = asObject((await this.metadata()).json);
      return readEnvelope(await this.execute(tool, args, { version }));
    };
    this.choice = new ToolChoice(options, () => this.#actions(), ({ name, args }) => call(name, args));
  }

  metadata(): Promise<HttpReply> {
    return (this.#metadata ??= this.get(""));
  }

  /** Requests metadata; `""` for the latest version. */
  get(version: string): Promise<HttpReply> {
    return this.sender.send(this.url + version, { method: "GET" });
  }

  /** The members of the metadata. The check does not apply if it is not an object. */
  async members(): Promise<{ readonly members: Members; readonly reply: HttpReply }> {
    const reply = await this.metadata();
    return { members: isJsonObject(reply.json) ? reply.json : lacks("The webtool gives no metadata"), reply };
  }

  /** The entries of `actions` in the metadata. The check does not apply if there is no list. */
  async actions(): Promise<{ readonly actions: readonly Members[]; readonly reply: HttpReply }> {
    const { members: { actions }, reply } = await this.members();
    return { actions: Array.isArray(actions) ? actions.map(asObject) : lacks("The metadata has no actions"), reply };
  }

  async #actions(): Promise<readonly CandidateTool[]> {
    const { json } = await this.metadata();
    const { actions } = asObject(json);
    return Array.isArray(actions)
      ? actions.flatMap((one) => toCandidateTool(asObject(one), "requestSchema") ?? [])
      : [];
  }

  /** An action that gives data. */
  answer(): Promise<TriedTool> {
    return this.choice.called("tool", givesAnswer, "gives data");
  }

  /** Executes an action, with further members of the request. */
  execute(action: string, request: Members, further: Members = {}): Promise<HttpReply> {
    return this.sender.sendJson(this.url, { action, request, ...further });
  }
}

/** Reads the envelope of an action's response as the reply of a call: `data` becomes `content`, a code of an error its kind. */
function readEnvelope({ sent, received, json }: HttpReply): CallReply {
  const { status, data, error, _meta: meta } = asObject(json);
  const { code, message } = asObject(error);
  return {
    sent,
    received,
    result: status === "ok" ? { content: data } : undefined,
    meta: isJsonObject(meta) ? meta : undefined,
    error: status === "ok" ? undefined : { kind: ERROR_KINDS[String(code)] ?? "other", message: String(message) },
  };
}
