/** The official SDK 1.32 over its standard input and output. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createOfficialV1 } from "./official_v1.ts";

await createOfficialV1().connect(new StdioServerTransport());
