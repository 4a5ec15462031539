/** Server-Sent Events of a response, as they arrive. */
import { createParser } from "eventsource-parser";

/** Calls `onData` with the data of each event, and `onChunk` with the text of each part, until the body ends. */
export async function readEvents(
  response: Response,
  onData: (data: string) => void,
  onChunk?: (text: string) => void,
): Promise<void> {
  const parser = createParser({ onEvent: ({ data }) => onData(data) });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) {
    const text = decoder.decode(step.value, { stream: true });
    parser.feed(text);
    onChunk?.(text);
  }
}
