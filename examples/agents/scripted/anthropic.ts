/**
 * A scripted model behind the Messages interface of Anthropic. Requests that break its published rules are refused.
 *
 * @module
 */
import { EventStream, type Loopback, type Posted, startLoopback, type StreamEvent } from "./loopback.ts";
import { hold, holdAnswered, holdNames, holdParameters, isRecord, type JsonRecord, recordsOf } from "./rules.ts";
import { nextTurn, type Script } from "./script.ts";

/** Starts the service; its URL is the `baseURL` of a client. */
export function startAnthropic(script: Script): Promise<Loopback> {
  const threads: Threads = new Map();
  const reply = (request: Posted) => toReply(answerInThread(script, request, threads), request.body);
  return startLoopback(script, { "/v1/messages": reply, "/v1/messages?beta=true": reply });
}

/** Requests of threads, which the service keeps, with the answer of each, by the id of the answer. */
type Threads = Map<string, Posted["body"]>;

/** In a thread, a request has only what is new. The tool runner of the package sends such requests. */
function answerInThread(script: Script, request: Posted, threads: Threads): Message {
  const { thread, ...body } = request.body;
  if (!isRecord(thread)) return answer(script, request);
  const before = thread["type"] === "continue" ? threads.get(String(thread["previous_message_id"])) : {};
  hold(before !== undefined, "The thread does not exist");
  const messages = [...recordsOf(before["messages"] ?? [], "messages"), ...recordsOf(body["messages"], "messages")];
  const whole = { ...before, ...body, messages };
  const message = answer(script, { ...request, body: whole });
  const { id, role, content } = message;
  threads.set(id, { ...whole, messages: [...messages, { role, content }] });
  return message;
}

function toReply(message: Message, { stream }: Posted["body"]): unknown {
  return stream === true ? new EventStream(eventsOf(message)) : message;
}

function answer(script: Script, { headers, body }: Posted): Message {
  const key = headers["x-api-key"] ?? headers.authorization;
  hold(
    typeof key === "string" && key !== "",
    "The key goes into the header authorization, or x-api-key",
  );
  hold(
    typeof headers["anthropic-version"] === "string",
    "The header anthropic-version is required",
  );
  hold(typeof body["model"] === "string", "model is required");
  hold(Number.isInteger(body["max_tokens"]), "max_tokens is required");
  const given = recordsOf(body["tools"], "tools");
  const tools = given.filter((tool) => !isHostedSearch(tool));
  holdTools(tools, tools.length < given.length);
  const messages = recordsOf(body["messages"], "messages");
  const uses = messages.map((message) => blocksOf(message, "assistant", "tool_use"));
  const results = messages.map((message) => blocksOf(message, "user", "tool_result"));
  for (const [index, calls] of uses.entries()) {
    holdAnswered(
      calls.map(({ id }) => id),
      (results[index + 1] ?? []).map(({ tool_use_id: id }) => id),
    );
  }
  // The service itself searches, so that the model may know any of them.
  const isSearched = tools.length < given.length;
  const loaded = tools.filter((tool) => isSearched || tool["defer_loading"] !== true).map(({ name }) => name);
  const texts = results.flat().map(({ content }) => {
    if (!Array.isArray(content)) {
      hold(typeof content === "string" && content !== "", "content must be text");
      // TanStack AI wraps the text of an exception.
      const { error } = content.startsWith('{"error":') ? JSON.parse(content) : {};
      // The tool runner of the package puts a word before the text of an exception.
      return typeof error === "string" ? error : content.replace(/^Error: (?=The )/, "");
    }
    // Claude Code adds texts to the one of the tool.
    const [first] = content;
    if (isRecord(first) && first["type"] !== "tool_reference") {
      return recordsOf(content, "content").map(textOf).join("\n").replaceAll(REMINDER, "").trimEnd();
    }
    const found = referencesIn(content, tools);
    loaded.push(...found);
    return `found ${found.join(", ")}`;
  });
  const round = uses.filter((calls) => calls.length > 0).length;
  const turn = nextTurn(script, round, texts);
  for (const { name } of "calls" in turn ? turn.calls : []) {
    // A model writes no names that it does not know.
    if (tools.some((tool) => tool["name"] === name)) hold(loaded.includes(name), `${name} is not loaded`);
  }
  const content = "text" in turn
    ? [{ type: "text", text: turn.text, citations: null }]
    : turn.calls.map(({ id, name, args }) => ({
      type: "tool_use",
      id: `toolu_${id}`,
      name,
      input: args,
    }));
  return {
    id: `msg_${round}`,
    type: "message",
    role: "assistant",
    model: body["model"],
    content,
    stop_reason: "text" in turn ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

const REMINDER = /\n*<system-reminder>[^]*?<\/system-reminder>/g;

/** Text of a block of a result: a text, a search result, an image or a document. */
function textOf({ type, text, source, title, content }: JsonRecord): string {
  if (type === "text" && typeof text === "string") return text;
  if (type === "search_result") {
    hold(
      typeof source === "string" && typeof title === "string" && title !== "",
      "A search result has source and title",
    );
    return recordsOf(content, "content").map(textOf).join("\n");
  }
  hold(isRecord(source) && source["type"] === "base64" && typeof source["data"] === "string", "A block has a source");
  const media = String(source["media_type"]);
  const isTaken = type === "image"
    ? /^image\/(png|jpeg|gif|webp)$/.test(media)
    : type === "document" && media === "application/pdf";
  hold(isTaken, `${type} cannot be ${media}`);
  return `(${type})`;
}

interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly input?: object }[];
  readonly stop_reason: string;
  readonly [member: string]: unknown;
}

/** A message as events, each block in one piece. */
function eventsOf({ content, stop_reason, ...head }: Message): readonly StreamEvent[] {
  const blocks = content.flatMap((block, index): StreamEvent[] => {
    const [empty, delta] = block.type === "text"
      ? [{ text: "" }, { type: "text_delta", text: block.text }]
      : [{ input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
    return [
      { type: "content_block_start", index, content_block: { ...block, ...empty } },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ];
  });
  return [
    { type: "message_start", message: { ...head, content: [], stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 0 } },
    { type: "message_stop" },
  ];
}

function isHostedSearch({ type }: JsonRecord): boolean {
  return typeof type === "string" && /^tool_search_tool_(bm25|regex)(_\d+)?$/.test(type);
}

/** @param hasLoaded Whether a tool is loaded beside these. */
function holdTools(tools: readonly JsonRecord[], hasLoaded: boolean): void {
  const deferred = tools.filter((tool) => tool["defer_loading"] === true);
  holdNames(tools.map(({ name }) => name), deferred.length > 0 ? 10_000 : 128);
  hold(hasLoaded || deferred.length < tools.length || tools.length === 0, "At least one tool must not be deferred");
  for (const { input_schema: schema, input_examples: examples = [] } of tools) {
    holdParameters(schema);
    recordsOf(examples, "input_examples");
  }
  hold(
    deferred.every((tool) => !("input_examples" in tool)),
    "Tool search is not compatible with input_examples",
  );
}

/** The names in the references of a result. */
function referencesIn(content: readonly unknown[], tools: readonly JsonRecord[]): string[] {
  return recordsOf(content, "content").map(({ type, tool_name: name }) => {
    hold(type === "tool_reference" && typeof name === "string", "content must be references");
    hold(
      tools.some((tool) => tool["name"] === name && tool["defer_loading"] === true),
      `Tool reference '${name}' has no corresponding tool definition`,
    );
    return name;
  });
}

/** Its blocks of a type, which only messages of a role have. */
function blocksOf(
  { role, content }: JsonRecord,
  of: string,
  type: string,
): readonly JsonRecord[] {
  const found = (Array.isArray(content) ? content : []).filter((block) => isRecord(block) && block["type"] === type);
  hold(found.length === 0 || role === of, `${type} blocks are the ${of}'s`);
  return found;
}
