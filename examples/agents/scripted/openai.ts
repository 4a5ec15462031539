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
import { nextTurn, type Script } from "./script.ts";

/** Starts the service; its URL is the `baseURL` of a client. */
export async function startOpenAi(script: Script): Promise<Loopback> {
  const service = await startLoopback({
    "/v1/chat/completions": (request) => complete(script, request),
    "/v1/responses": (request) => respond(script, request),
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
    id: "chatcmpl_1",
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
  for (const { type, strict } of tools) {
    hold(
      type === "function" && typeof strict === "boolean",
      "A tool has a type, and says whether it is strict",
    );
  }
  holdFunctions(tools);
  const items = recordsOf(body["input"], "input");
  const calls = items.filter(({ type }) => type === "function_call");
  const outputs = items.filter(({ type }) => type === "function_call_output");
  for (const { output } of outputs) {
    hold(typeof output === "string" && output !== "", "output must be text");
  }
  holdAnswered(
    calls.map(({ call_id: id }) => id),
    outputs.map(({ call_id: id }) => id),
  );
  // Each call of a message is a separate item.
  const rounds = new Set(calls.map(({ call_id: id }) => String(id).split("_")[1])).size;
  const turn = nextTurn(
    script,
    rounds,
    outputs.map(({ output }) => String(output)),
  );
  const output = "text" in turn
    ? [{
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{
        type: "output_text",
        text: turn.text,
        annotations: [],
        logprobs: [],
      }],
    }]
    : turn.calls.map(({ id, name, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    }));
  return {
    id: "resp_1",
    object: "response",
    created_at: 0,
    status: "completed",
    model: body["model"],
    output,
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
