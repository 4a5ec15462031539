import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import type { Transport } from "../core/call/transport.ts";
import { readRecording } from "../inspection/recording/recording.ts";
import { describeReceived } from "../internal/text.ts";
import { readRecordingFile } from "./runtime/recording_file.ts";
import { recordingTransport } from "./recording_transport.ts";

/**
 * Creates a transport that answers from a recording of `toolwire record`, for tests without the server: by tool and arguments, in recorded
 * order for repeated calls. Recorded secrets, which are `[redacted]`, fit any value. Other calls are rejected with the nearest recorded one.
 *
 * @example
 * ```ts check
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { replayTransport } from "jsr:@toolwire/toolwire/testing";
 *
 * const client = createClient(replayTransport(new URL("calls.ndjson", import.meta.url)));
 * await client.$.call("search", { query: "tea" });
 * ```
 * @param recording A URL or a path of the file, which is read at the first call or list; a path is relative to the current directory. Text
 * that begins with `{` is the recording itself.
 * @throws {TypeError} If it is neither, or if the text is not a recording. What a file lacks is an error of the calls.
 */
export function replayTransport(recording: string | URL): Transport {
  if (typeof recording === "string" && recording.trimStart().startsWith("{")) return fromText(recording);
  if (!isFile(recording)) {
    const given: unknown = recording;
    throw new TypeError(
      `Cannot replay: ${EXPECTED}, not ${given instanceof URL ? given.href : describeReceived(given)}`,
    );
  }
  let opened: Transport | undefined;
  const open = (): Transport | ErrorResult => {
    try {
      return opened ??= fromText(readRecordingFile(recording));
    } catch (thrown) {
      const name = recording instanceof URL ? recording.pathname : recording;
      const cause = thrown as Error;
      return { ...errorResult("invalid_request", `Cannot replay ${name}: ${cause.message}`), cause };
    }
  };
  return {
    call(call, sink) {
      const transport = open();
      return "kind" in transport ? transport : transport.call(call, sink);
    },
    list(limit) {
      const transport = open();
      return "kind" in transport ? transport : transport.list(limit);
    },
  };
}

const EXPECTED = 'pass the path or the file URL of a recording, such as "calls.ndjson", or its text';

function fromText(text: string): Transport {
  return recordingTransport(readRecording(text.trimStart()));
}

/** Whether it can name a file. A text of several lines is meant as a recording. */
function isFile(recording: unknown): boolean {
  if (recording instanceof URL) return recording.protocol === "file:";
  return typeof recording === "string" && recording.trim() !== "" && !recording.includes("\n");
}
