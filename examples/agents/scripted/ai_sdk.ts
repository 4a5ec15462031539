/**
 * A scripted model for the AI SDK: its own mock, with scripted messages.
 *
 * @module
 */
import { MockLanguageModelV4 } from "ai/test";
import { holdAnswered, holdNames, holdParameters } from "./rules.ts";
import { nextTurn, type Script } from "./script.ts";

type Options = Parameters<MockLanguageModelV4["doGenerate"]>[0];
type Result = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

/** Makes the model. */
export function scriptedModel(script: Script): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: (options) => Promise.resolve(generate(script, options)),
  });
}

function generate(script: Script, { prompt, tools = [] }: Options): Result {
  holdNames(tools.map(({ name }) => name));
  for (const tool of tools) {
    if (tool.type === "function") holdParameters(tool.inputSchema);
  }
  const calls = prompt.flatMap((message) => message.role === "assistant" ? message.content : []).flatMap((part) =>
    part.type === "tool-call" ? [part.toolCallId] : []
  );
  const results = prompt.flatMap((message) => message.role === "tool" ? message.content : []).flatMap((part) =>
    part.type === "tool-result" ? [part] : []
  );
  holdAnswered(calls, results.map(({ toolCallId }) => toolCallId));
  const texts = results.map(({ output }) => {
    if (output.type === "text") return output.value;
    // The AI SDK puts the exception's name before its message.
    if (output.type === "error-text") {
      return output.value.replace("Error: ", "");
    }
    return "value" in output ? JSON.stringify(output.value) : output.type;
  });
  const turn = nextTurn(
    script,
    prompt.filter(({ role }) => role === "tool").length,
    texts,
  );
  return {
    content: "text" in turn ? [{ type: "text", text: turn.text }] : turn.calls.map(({ id, name, args }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    })),
    finishReason: {
      unified: "text" in turn ? "stop" : "tool-calls",
      raw: undefined,
    },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
    warnings: [],
  };
}
