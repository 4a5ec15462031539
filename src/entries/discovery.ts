/**
 * Discovery for servers with many tools: models search for tools in place of loading all of them. A server needs it from about fifty tools
 * on, where the list alone costs the model thousands of tokens.
 *
 * @example A server whose tools are searched
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { discover } from "jsr:@toolwire/toolwire/discovery";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { ok } from "node:assert/strict";
 *
 * const rate = defineTool("exchange_rate").describe("Look up the exchange rate of a currency").handle(() => 1.08);
 * const server = createServer({ tools: [rate], discovery: discover() });
 * ok((await testClient(server).$.list()).length > 0);
 * ```
 *
 * @module
 */
export { discover, type DiscoverOptions, type Discovery } from "../server/discovery/discover.ts";
export type {
  FoundTool,
  RankedTool,
  Ranking,
  SearchInput,
  SearchOutput,
} from "../inspection/tool_search/tool_catalog.ts";
