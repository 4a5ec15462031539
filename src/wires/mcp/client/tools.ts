import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { Connection } from "./connection.ts";
import { findHeaderParams, type HeaderParam } from "../protocol/header_values.ts";
import type { Lists } from "./lists.ts";
import { checkPin } from "./pins.ts";

/** A tool, and what calls of it need. */
export interface KnownTool {
  /** As it is listed. */
  readonly tool: ListedTool;
  /** Its arguments that travel in headers. */
  readonly headerParams: readonly HeaderParam[];
}

/** The tools of a server, as far as they can be called. */
export class Tools {
  readonly #connection: Connection;
  readonly #lists: Lists;
  readonly #pinned: readonly ListedTool[] | undefined;
  /** As they were last listed. */
  #known: ReadonlyMap<string, KnownTool> | undefined = undefined;
  readonly #warnings = new Set<string>();

  constructor(connection: Connection, lists: Lists, pinned: readonly ListedTool[] | undefined) {
    this.#connection = connection;
    this.#lists = lists;
    this.#pinned = pinned;
    connection.inbox.on("notification", ({ method }) => {
      if (method === "notifications/tools/list_changed") this.#known = undefined;
    });
  }

  /**
   * Lists the tools; those with a schema that is none are left out, with a warning. Where tools are pinned, what was pinned of those
   * that are still there: whoever tells a model of them tells it what was looked at.
   */
  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    const listed = await this.#load(limit);
    if ("kind" in listed) return listed;
    return this.#pinned?.filter(({ name }) => listed.has(name)) ?? [...listed.values()].map(({ tool }) => tool);
  }

  /**
   * What is known of a tool before it is called; `undefined` if that needs no knowing, or cannot be had: the call itself will
   * tell why.
   */
  async find(name: string, limit: ActivityMonitor): Promise<KnownTool | undefined> {
    const known = this.#known ?? await this.#load(limit);
    return "kind" in known ? undefined : known.get(name);
  }

  /** What is known without asking. */
  known(name: string): KnownTool | undefined {
    return this.#known?.get(name);
  }

  /** Why a tool must not be called. */
  check(name: string, known: KnownTool | undefined): ErrorResult | undefined {
    return this.#pinned && checkPin(this.#pinned, name, known?.tool);
  }

  /** Whether the server is known not to list a tool. */
  lacks(name: string): boolean {
    return this.#known?.has(name) === false;
  }

  /** Whether tools are held to what they were. */
  get arePinned(): boolean {
    return this.#pinned !== undefined;
  }

  /** Has the tools listed anew when they are next needed. */
  forget(): void {
    this.#known = undefined;
    this.#lists.cache.forget("tools/");
  }

  async #load(limit: ActivityMonitor): Promise<ReadonlyMap<string, KnownTool> | ErrorResult> {
    const listed = await this.#lists.all("tools/list", "tools", limit);
    if ("kind" in listed) return listed as ErrorResult;
    const era = await this.#connection.era();
    const hasHeaders = !("kind" in era) && era.hasHeaders;
    const tools = listed.flatMap((tool) => this.#read(tool, hasHeaders) ?? []);
    return this.#known = new Map(tools.map((known) => [known.tool.name, known]));
  }

  #read(listed: Members, hasHeaders: boolean): KnownTool | undefined {
    const { name, inputSchema, outputSchema } = listed;
    if (typeof name !== "string") return this.#drop("without a name", "its name is no text");
    const isObject = isJsonObject(inputSchema) && inputSchema["type"] === "object";
    if (!isObject) return this.#drop(name, 'its inputSchema is no schema of an object: "type": "object" is missing');
    if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
      return this.#drop(name, "its outputSchema is no schema");
    }
    const headerParams = hasHeaders ? findHeaderParams(inputSchema) : [];
    if (typeof headerParams === "string") return this.#drop(name, headerParams);
    return { tool: listed as ListedTool, headerParams };
  }

  #drop(name: string, because: string): undefined {
    const warning = `Tool "${name}" is left out: ${because}`;
    // Once, however often it is listed.
    if (!this.#warnings.has(warning)) this.#connection.warn(warning);
    this.#warnings.add(warning);
  }
}
