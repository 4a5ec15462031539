/**
 * A scripted model for LangChain: its own fake, with scripted messages.
 *
 * @module
 */
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type FakeBuiltModel, fakeModel } from "@langchain/core/testing";
import { nextTurn, type Script } from "./script.ts";

/** Makes the model. */
export function scriptedModel(script: Script): FakeBuiltModel {
  const model = fakeModel();
  for (const _ of [...script, "the end"]) {
    model.respond((messages) => answer(script, messages));
  }
  return model;
}

function answer(script: Script, messages: readonly BaseMessage[]): AIMessage {
  const results = messages.filter((message) => ToolMessage.isInstance(message))
    .map(({ content }) => String(content));
  const rounds = messages.filter((message) => AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0);
  const turn = nextTurn(script, rounds.length, results);
  if ("text" in turn) return new AIMessage(turn.text);
  return new AIMessage({
    content: "",
    tool_calls: turn.calls.map(({ id, name, args }) => ({
      type: "tool_call",
      id,
      name,
      args,
    })),
  });
}
