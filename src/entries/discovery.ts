/**
 * Discovery for servers with many tools: models search for tools in place of loading all of them.
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
