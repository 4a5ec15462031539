import { isJsonObject } from "../../../internal/json.ts";
import { FUNCTION, oneOf, type OptionRules, rule } from "../../../internal/options.ts";
import type { McpClientOptions } from "./types.ts";

/** What options of clients have to be, whatever carries their messages. */
export const CLIENT_RULES: OptionRules<McpClientOptions> = {
  clientInfo: rule("{ name, version }, both of them texts", (value) => {
    return isJsonObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
  }),
  era: oneOf("auto", "modern", "legacy"),
  pinned: rule("an array of tools, as list() once gave them", (value) => {
    return Array.isArray(value) && value.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string");
  }),
  onWarning: FUNCTION,
};
