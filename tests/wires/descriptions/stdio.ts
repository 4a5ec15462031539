/** MCP over pipes: the process that has started the server is its only caller. */
import { openStdio } from "../mcp/stdio/in_process.ts";
import type { WireDescription } from "./description.ts";
import { lineDialect, pipeSenders } from "./pipe.ts";

const NAME = "stdio";

/** See above. */
export const stdio: WireDescription = {
  name: NAME,
  rows: ([["2026-07-28", "modern"], ["2025-11-25", "legacy"]] as const).map(([revision, era]) => ({
    name: `stdio (${revision})`,
    column: NAME,
    lacks: ["callers who show who they are"],
    open: (server) => Promise.resolve(openStdio(server, { era })),
  })),
  senders: (create) => pipeSenders(NAME, create, lineDialect),
  without: {
    HTTP: "pipes have no hosts, no origins and no paths",
    pieces: "a client that does not read: tests/wires/mcp/client/pieces_test.ts",
    "clients of foreign servers":
      "hostile programs are in tests/wires/mcp/client/stdio_full_test.ts; they are not counted here",
    principals: "one process has one caller, without a principal",
  },
};
