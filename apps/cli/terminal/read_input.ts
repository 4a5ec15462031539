/** Reads standard input. */
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { CliProcess } from "./process.ts";

/** Maximum length of standard input, in bytes. */
const MAX_INPUT_BYTES = 67_108_864;

/**
 * Returns the whole text of standard input, decoded as UTF-8.
 *
 * @throws {CliError} If it is longer than 64 MiB.
 */
export async function readInput({ stdin }: CliProcess): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of stdin) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) {
      throw new CliError(EXIT.usage, `Standard input is longer than ${MAX_INPUT_BYTES} bytes`);
    }
  }
  return text + decoder.decode();
}
