import type { Transport } from "../core/call/transport.ts";
import { readRecording } from "../core/recording/recording.ts";
import { recordingTransport } from "./recording_transport.ts";

/**
 * Creates a transport that answers from a recording of `toolwire record`, for tests without the server: by tool and arguments, in recorded
 * order for repeated calls. Recorded secrets, which are `[redacted]`, fit any value. Other calls are rejected with the nearest recorded one.
 *
 * @example
 * ```ts check
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { replayTransport } from "jsr:@toolwire/toolwire/testing";
 * import { readFileSync } from "node:fs";
 *
 * const client = createClient(replayTransport(readFileSync("calls.ndjson", "utf8")));
 * await client.$.call("search", { query: "tea" });
 * ```
 * @param text Contents of the file.
 * @throws {TypeError} If it is not a recording.
 */
export function replayTransport(text: string): Transport {
  if (typeof text !== "string" || !text.trimStart().startsWith("{")) {
    throw new TypeError('Cannot replay: pass the text of a recording, such as readFileSync("calls.ndjson", "utf8")');
  }
  return recordingTransport(readRecording(text));
}
