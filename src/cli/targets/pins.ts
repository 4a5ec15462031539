/** Reads the file of `--pin`: metadata of a webtool, or a list of tools. */
import type { ListedTool } from "../../core/call/transport.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { WebtoolMetadata } from "../../wires/webtools/messages/metadata.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

/** Returns the tools of a pin: an array of tools, or `{ "tools": […] }` as `toolwire list --json` prints it. */
export function pinnedTools(pin: unknown): readonly ListedTool[] {
  const tools = isJsonObject(pin) ? pin["tools"] : pin;
  const isList = Array.isArray(tools) && tools.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string");
  if (isList) return tools as readonly ListedTool[];
  throw new CliError(EXIT.usage, "The file of --pin has no list of tools", {
    hint: "Make it with: toolwire list <target> --json",
  });
}

/** Returns the metadata of a webtool; `undefined` if the pin is a list of tools. */
export function pinnedWebtool(pin: unknown): WebtoolMetadata | undefined {
  return isJsonObject(pin) && Array.isArray(pin["actions"]) ? pin as unknown as WebtoolMetadata : undefined;
}
