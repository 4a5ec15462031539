/**
 * Whole answers as the events that the services send when a client asks for a stream.
 *
 * @module
 */
import { EventStream, type Posted, type StreamEvent } from "./loopback.ts";

interface Item {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly content?: readonly { readonly text: string }[];
}

/** Answers with the events, if the request asks for them. */
export function streamIf(
  { body }: Posted,
  answer: unknown,
  toEvents: (answer: never) => readonly StreamEvent[],
): unknown {
  return body["stream"] === true ? new EventStream(toEvents(answer as never)) : answer;
}

/** A response of OpenAI's Responses. */
export function responseEvents(response: { readonly output: readonly Item[] }): readonly StreamEvent[] {
  const begun = { ...response, status: "in_progress", output: [] };
  const items = response.output.flatMap((item, index) => itemEvents(item, index));
  return [{ type: "response.created", response: begun }, ...items, { type: "response.completed", response }];
}

function itemEvents(item: Item, output_index: number): readonly StreamEvent[] {
  const at = { output_index, item_id: item.id };
  const added = { type: "response.output_item.added", output_index };
  const done = { type: "response.output_item.done", output_index, item };
  if (item.type === "message") {
    const text = item.content?.map((part) => part.text).join("") ?? "";
    return [
      { ...added, item: { ...item, content: [] } },
      { type: "response.output_text.delta", ...at, content_index: 0, delta: text },
      { type: "response.output_text.done", ...at, content_index: 0, text },
      done,
    ];
  }
  if (item.type !== "function_call") return [{ ...added, item }, done];
  return [
    { ...added, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
    { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: item.arguments },
    done,
  ];
}

interface Completion {
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: { readonly tool_calls?: readonly object[] };
  }[];
}

/** An answer of OpenAI's Chat Completions: one piece with all of it. */
export function completionEvents({ choices, ...head }: Completion): readonly StreamEvent[] {
  const chunk = { ...head, object: "chat.completion.chunk" };
  return [
    {
      ...chunk,
      choices: choices.map(({ message: { tool_calls: calls, ...message } }) => ({
        index: 0,
        finish_reason: null,
        delta: { ...message, ...(calls && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) },
      })),
    },
    { ...chunk, choices: choices.map(({ finish_reason }) => ({ index: 0, finish_reason, delta: {} })) },
  ];
}
