/**
 * A scripted model for TanStack AI: an adapter with scripted messages.
 *
 * @module
 */
import { type AdapterYieldChunk, EventType, type ModelMessage, type TextOptions } from "@tanstack/ai";
import { BaseTextAdapter } from "@tanstack/ai/adapters";
import { hold, holdAnswered, holdNames, holdParameters } from "./rules.ts";
import { nextTurn, type Script, type ScriptedTurn } from "./script.ts";

/** The model. */
export class ScriptedAdapter extends BaseTextAdapter<"scripted", Record<string, unknown>, readonly ["text"], never> {
  readonly name = "scripted";
  readonly #script: Script;

  constructor(script: Script) {
    super({}, "scripted");
    this.#script = script;
  }

  override async *chatStream({ messages, tools = [] }: TextOptions): AsyncIterable<AdapterYieldChunk> {
    holdNames(tools.map(({ name }) => name));
    for (const { inputSchema } of tools) holdParameters(inputSchema);
    const turn = answer(this.#script, messages);
    const run = { threadId: "thread_1", runId: "run_1" };
    yield { type: EventType.RUN_STARTED, ...run };
    yield* chunksOf(turn);
    yield { type: EventType.RUN_FINISHED, ...run, finishReason: "text" in turn ? "stop" : "tool_calls" };
  }

  override structuredOutput(): Promise<never> {
    return Promise.reject(new Error("The script has no structured output"));
  }
}

function answer(script: Script, messages: readonly ModelMessage[]): ScriptedTurn {
  const rounds = messages.filter(({ toolCalls = [] }) => toolCalls.length > 0);
  const results = messages.filter(({ role }) => role === "tool");
  holdAnswered(
    rounds.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)),
    results.map(({ toolCallId }) => toolCallId),
  );
  return nextTurn(script, rounds.length, results.map(textOf));
}

function textOf({ content }: ModelMessage): string {
  hold(typeof content === "string" && content !== "", "content must be text");
  // The framework wraps the message of an error.
  const { error } = content.startsWith('{"error":') ? JSON.parse(content) : {};
  return error ?? content;
}

function* chunksOf(turn: ScriptedTurn): Generator<AdapterYieldChunk> {
  if ("text" in turn) {
    const messageId = "msg_1";
    yield { type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant" };
    yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: turn.text };
    yield { type: EventType.TEXT_MESSAGE_END, messageId };
    return;
  }
  for (const { id: toolCallId, name, args } of turn.calls) {
    yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: name, toolName: name };
    yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(args) };
    yield { type: EventType.TOOL_CALL_END, toolCallId };
  }
}
