/** The official server 2.4 over its standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createOfficialV2 } from "./official_v2.ts";

serveStdio(() => createOfficialV2());
