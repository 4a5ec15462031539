/** The tools of the published servers of `tests/corpus` as one server. */
import { createServer, type Server } from "../../../mod.ts";
import { gateway, group } from "../../../src/entries/compose.ts";
import { discover } from "../../../src/entries/discovery.ts";
import type { CorpusServer } from "../../corpus/corpus.ts";
import { scripted } from "../compose/scripted.ts";
import { QUIET } from "./fixture.ts";

/** Maximum length of a name without the prefix of a group. */
const MAX_NAME = 56;

/** Groups whose name is not the name of the package without `mcp` and `server`. */
const GROUPS: Readonly<Record<string, string>> = {
  "@hubspot/mcp-server": "hubspot",
  "@mapbox/mcp-server": "mapbox",
  "@modelcontextprotocol/server-brave-search": "brave",
  "@modelcontextprotocol/server-sequential-thinking": "thinking",
  "@notionhq/notion-mcp-server": "notion",
  "@playwright/mcp": "playwright",
  "@sentry/mcp-server": "sentry",
  "@twilio-alpha/mcp": "twilio",
  "@wonderwhy-er/desktop-commander": "desktop",
  "@zereight/mcp-gitlab": "gitlab",
  "chrome-devtools-mcp": "chrome",
  "figma-developer-mcp": "figma",
};

function groupNameOf(name: string): string {
  const last = name.split("/").at(-1) ?? name;
  return GROUPS[name] ?? last.replace(/^(mcp-server-|server-)(atlassian-)?|-mcp(-server)?$/g, "");
}

/**
 * One server with the tools of all others, in groups, and with `discover()`.
 *
 * @param regions Starts of the names of groups: with several, there are as many copies of each tool.
 */
export async function serverWith(
  corpus: readonly CorpusServer[],
  when: "auto" | "always" = "auto",
  regions: readonly string[] = [""],
): Promise<Server> {
  const parts = await Promise.all(
    corpus.filter(({ tools }) => tools.length > 0).flatMap(({ name, tools }) =>
      regions.map(async (region) => {
        // Names of 64 characters have no room for a prefix.
        const rename = (tool: string) => tool.length > MAX_NAME ? tool.replace("ApiV2010", "") : tool;
        return group(
          `${region}${groupNameOf(name)}`,
          await gateway(name, scripted(tools), { rename, maxListChars: 10_000_000 }),
        );
      })
    ),
  );
  return createServer({ tools: [], parts: parts as never, discovery: discover({ when }), logger: QUIET });
}
