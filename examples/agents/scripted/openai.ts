/**
 * A scripted model behind the two interfaces of OpenAI. Requests that break their published rules are refused.
 *
 * @module
 */
import { type Loopback, type Posted, startLoopback } from "./loopback.ts";
import {
  hold,
  holdAnswered,
  holdNames,
  holdParameters,
  holdStrict,
  isRecord,
  type JsonRecord,
  recordsOf,
} from "./rules.ts";
import { nextTurn, type Script, type ScriptedCall } from "./script.ts";
import { completionEvents, responseEvents, streamIf } from "./streams.ts";

/** Starts the service; its URL is the `baseURL` of a client. */
export async function startOpenAi(script: Script): Promise<Loopback> {
  const service = await startLoopback(script, {
    "/v1/chat/completions": (request) => streamIf(request, complete(script, request), completionEvents),
    "/v1/responses": (request) => streamIf(request, respond(script, request), responseEvents),
  });
  return { ...service, url: `${service.url}/v1` };
}

function complete(script: Script, { headers, body }: Posted): unknown {
  holdHead(headers, body);
  const tools = recordsOf(body["tools"], "tools");
  holdFunctions(tools.map((tool) => {
    hold(
      tool["type"] === "function" && isRecord(tool["function"]),
      "A tool has a type and a function",
    );
    return tool["function"];
  }));
  const messages = recordsOf(body["messages"], "messages");
  hold(messages.length > 0, "messages must not be empty");
  const rounds = messages.flatMap((message, index) => message["tool_calls"] === undefined ? [] : [index]);
  for (const index of rounds) holdToolMessages(messages, index);
  const results = messages.filter(({ role }) => role === "tool").map((
    { content },
  ) => String(content));
  const turn = nextTurn(script, rounds.length, results);
  const said = "text" in turn ? { content: turn.text } : {
    content: null,
    tool_calls: turn.calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
  return {
    id: `chatcmpl_${rounds.length}`,
    object: "chat.completion",
    created: 0,
    model: body["model"],
    choices: [{
      index: 0,
      finish_reason: "text" in turn ? "stop" : "tool_calls",
      logprobs: null,
      message: { role: "assistant", refusal: null, ...said },
    }],
  };
}

/** The messages right after an assistant's with calls answer each of them. */
function holdToolMessages(
  messages: readonly JsonRecord[],
  index: number,
): void {
  const calls = recordsOf(messages[index]?.["tool_calls"], "tool_calls").map((
    { id },
  ) => id);
  const after = messages.slice(index + 1);
  const end = after.findIndex(({ role }) => role !== "tool");
  const answers = end === -1 ? after : after.slice(0, end);
  for (const { content } of answers) {
    hold(typeof content === "string" && content !== "", "content must be text");
  }
  holdAnswered(calls, answers.map(({ tool_call_id: id }) => id));
}

function respond(script: Script, { headers, body }: Posted): unknown {
  holdHead(headers, body);
  const tools = recordsOf(body["tools"], "tools");
  const functions = tools.filter(({ type }) => type !== "tool_search");
  holdResponsesFunctions(functions);
  const items = recordsOf(body["input"], "input");
  const calls = items.filter(({ type }) => type === "function_call" || type === "tool_search_call");
  const outputs = items.filter(({ type }) => type === "function_call_output" || type === "tool_search_output");
  const answered = outputs.map(({ call_id: id }) => id);
  // The model does not wait for these.
  const awaited = calls.filter(({ async: isAsync, call_id: id }) => isAsync !== true || answered.includes(id));
  holdAnswered(awaited.map(({ call_id: id }) => id), answered);
  // Each call of a message is a separate item.
  const rounds = new Set(calls.map(({ call_id: id }) => String(id).split("_")[1])).size;
  const known = functions.map(({ name, async: isAsync }): KnownFunction => ({
    name: String(name),
    ...(isAsync === true && { async: true }),
  }));
  const texts = outputs.map((output) => {
    if (output["type"] === "function_call_output") {
      return textOf(output["output"]);
    }
    const found = functionsIn(output);
    known.push(...found);
    return `found ${found.map(nameOf).join(", ")}`;
  });
  const turn = nextTurn(script, rounds, texts);
  const output = "text" in turn ? [toMessage(turn.text, rounds)] : turn.calls.map((call) => {
    const search = tools.find(({ type }) => type === "tool_search");
    return search !== undefined && call.name === "search_tools" ? toSearch(call) : toCall(call, known);
  });
  return {
    id: `resp_${rounds}`,
    object: "response",
    created_at: 0,
    status: "completed",
    model: body["model"],
    output,
    usage: NO_USAGE,
  };
}

/** Text of an output, which is text or a list of texts, images and files. */
function textOf(output: unknown): string {
  if (typeof output === "string") {
    hold(output !== "", "output must not be empty");
    // The AI SDK wraps the text of an exception.
    const { error } = output.startsWith('{"error":') ? JSON.parse(output) : {};
    return typeof error === "string" ? error.replace(/^Error: /, "") : output;
  }
  return recordsOf(output, "output").map((part) => {
    const { type, text, image_url: image, file_data: file, filename } = part;
    if (type === "input_text" && typeof text === "string") return text;
    const isImage = type === "input_image" && typeof image === "string" && IMAGE.test(image);
    const isFile = type === "input_file" && typeof filename === "string" && typeof file === "string" && FILE.test(file);
    hold(isImage || isFile, "output must be text, images of the supported formats, and PDF files with names");
    return `(${type})`;
  }).join("\n");
}

const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/;
const FILE = /^data:application\/pdf;base64,/;

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

interface KnownFunction {
  readonly namespace?: string;
  readonly name: string;
  readonly async?: true;
}

function nameOf({ namespace, name }: KnownFunction): string {
  return namespace === undefined ? name : `${namespace}_${name}`;
}

function holdResponsesFunctions(functions: readonly JsonRecord[]): void {
  for (const { type, strict } of functions) {
    hold(
      type === "function" && (typeof strict === "boolean" || strict === null),
      "A tool has a type, and strict, which may be null",
    );
  }
  holdFunctions(functions);
}

/** The functions that the application found for a search. */
function functionsIn({ execution, status, tools }: JsonRecord): KnownFunction[] {
  hold(execution === "client" && status === "completed", "A search has an execution and a status");
  return recordsOf(tools, "tools").flatMap((tool) => {
    if (tool["type"] !== "namespace") {
      holdResponsesFunctions([tool]);
      return [{ name: String(tool["name"]) }];
    }
    const { name: namespace, description } = tool;
    hold(typeof namespace === "string" && typeof description === "string", "A namespace has a name and a description");
    const functions = recordsOf(tool["tools"], "tools");
    holdResponsesFunctions(functions);
    return functions.map(({ name }) => ({ namespace, name: String(name) }));
  });
}

function toMessage(text: string, round: number): unknown {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id: `msg_${round}`, role: "assistant", status: "completed", content };
}

type Call = ScriptedCall & { readonly id: string };

function toSearch({ id, args }: Call): unknown {
  return {
    type: "tool_search_call",
    id: `tsc_${id}`,
    call_id: id,
    execution: "client",
    arguments: args,
    status: "completed",
  };
}

function toCall({ id, name, args }: Call, known: readonly KnownFunction[]): unknown {
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    ...known.find((one) => nameOf(one) === name),
    arguments: JSON.stringify(args),
    status: "completed",
  };
}

function holdHead(headers: Posted["headers"], { model }: JsonRecord): void {
  hold(
    /^Bearer \S+$/.test(headers.authorization ?? ""),
    "The key goes into the header authorization",
  );
  hold(typeof model === "string", "model is required");
}

function holdFunctions(functions: readonly JsonRecord[]): void {
  holdNames(functions.map(({ name }) => name));
  for (const { parameters, strict, description } of functions) {
    holdParameters(parameters);
    hold("properties" in parameters, "object schema missing properties");
    hold(
      description === undefined || typeof description === "string",
      "description must be text",
    );
    if (strict === true) holdStrict(parameters);
  }
}
