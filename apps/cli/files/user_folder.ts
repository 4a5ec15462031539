/** The folder of the user's own files of Toolwire: tokens, and decisions about projects. */
import { homedir } from "node:os";
import { join } from "node:path";

/** Path of a file in `$XDG_CONFIG_HOME/toolwire`, by default `~/.config/toolwire`. */
export function inUserFolder(env: Readonly<Record<string, string | undefined>>, ...names: readonly string[]): string {
  const config = env["XDG_CONFIG_HOME"] || join(env["HOME"] || env["USERPROFILE"] || homedir(), ".config");
  return join(config, "toolwire", ...names);
}
