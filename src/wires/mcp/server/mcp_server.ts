import type { WireHost } from "../../wire.ts";
import { Dialect } from "./revision.ts";
import { Listens } from "./change_streams.ts";
import { Offers } from "./content_handlers.ts";
import { type ProtocolOptions, type ProtocolSettings, resolveOptions } from "./options.ts";
import { Tasks } from "./tasks.ts";
import { ToolCalls } from "./tool_calls.ts";
import { McpTools } from "./tools.ts";
import { LEGACY_VERSIONS, type LegacyVersion, MODERN_VERSION } from "../protocol/constants.ts";

/** What the revisions have in common: one for each server and transport. */
export class Core {
  /** What the server gave. */
  readonly host: WireHost;
  /** What was said of the protocol. */
  readonly settings: ProtocolSettings;
  /** The server's tools. */
  readonly tools: McpTools;
  /** Runs tools. */
  readonly calls: ToolCalls;
  /** Resources and prompts. */
  readonly offers: Offers;
  /** Promises as tasks. */
  readonly tasks: Tasks;
  /** Streams of news. */
  readonly listens: Listens;
  readonly #dialects: ReadonlyMap<string, Dialect>;

  /** @throws {TypeError} If a tool breaks the rules of MCP. */
  constructor(host: WireHost, options: ProtocolOptions) {
    this.host = host;
    this.settings = resolveOptions(options);
    this.tools = new McpTools(host);
    this.calls = new ToolCalls(host, this.tools);
    this.offers = new Offers(host, this.settings.pageSize);
    this.tasks = new Tasks(host, this.tools, this.calls);
    this.listens = new Listens(host);
    const versions = [MODERN_VERSION, ...LEGACY_VERSIONS] as const;
    this.#dialects = new Map(
      versions.map((version) => [version, new Dialect(version, host.info, this.settings.cache)]),
    );
  }

  /** How a revision says things. */
  dialect(version: LegacyVersion | typeof MODERN_VERSION): Dialect {
    return this.#dialects.get(version) as Dialect;
  }

  /** Ends what is held open. */
  close(): void {
    this.listens.close();
  }
}
