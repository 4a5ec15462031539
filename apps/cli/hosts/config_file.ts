/** Reads configuration files of hosts. */
import { CliError } from "../cli_error.ts";
import { readFileBytes } from "../files/place.ts";
import { ConfigError } from "./edit_jsonc.ts";

/** Text of a file; `undefined` if it does not exist. @throws {ConfigError} If it is not a regular file, or not UTF-8. */
export function readConfig(file: string): string | undefined {
  try {
    const bytes = readFileBytes(file);
    return bytes && decodeConfig(file, bytes);
  } catch (cause) {
    if (cause instanceof CliError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
}

/** Decodes the bytes of a configuration file. @throws {ConfigError} If they are not UTF-8. */
export function decodeConfig(file: string, bytes: Uint8Array): string {
  try {
    // A byte order mark stays, as the file is written back.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError(`Cannot read the file ${file}: it is not UTF-8`, { cause });
  }
}
