/** Targets that are recordings: a file of `toolwire record` answers in place of its server. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { readRecording, type Recording } from "../../../src/inspection/recording/recording.ts";
import { recordingTransport } from "../../../src/testing/recording_transport.ts";
import type { TargetConnection } from "./connection.ts";

/** Opens a file of `toolwire record` as a target: it lists and answers as recorded, without the server, and has tools alone. */
export function openRecording(file: string, cwd: string): TargetConnection {
  const transport = recordingTransport(loadRecording(file, cwd));
  return {
    label: file,
    wire: "recording",
    url: undefined,
    transport,
    tools: () => Promise.resolve(transport.list()),
    mcp: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

/**
 * Reads the file of a recording.
 *
 * @throws {CliError} If it does not exist or is not a recording.
 */
export function loadRecording(file: string, cwd: string): Recording {
  const path = resolve(cwd, file);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new CliError(EXIT.usage, `Cannot read the recording ${path}`, { cause, code: "no_recording" });
  }
  try {
    return readRecording(text);
  } catch (cause) {
    throw new CliError(EXIT.usage, `Cannot read ${file}: ${(cause as Error).message}`, {
      cause,
      code: "no_recording",
      hint: "Make one with: toolwire record <target> --out calls.ndjson",
    });
  }
}
