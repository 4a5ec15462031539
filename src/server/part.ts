import type { ChangeBus } from "../core/call/changes.ts";
import type { PartTools } from "../core/tool/registry.ts";
import type { AnyTool, ToolDefinition } from "../core/tool/definition.ts";
import type { ServerOptions } from "./options.ts";
import type { Prompt, Resource } from "../core/content/content_catalog.ts";

/**
 * A server within another: what `group` and `mount` of `./compose` give, for `createServer({ parts: [ … ] })`.
 *
 * @typeParam Tools Its tools, under the names that they have there.
 */
export interface Part<Tools extends AnyTool = AnyTool> {
  /** Types only; never present at run time. */
  readonly "~tools"?: readonly Tools[] | undefined;
  /**
   * Makes one of all parts of a server. Each part carries this, so that a server without any does not carry the code.
   *
   * @internal
   */
  readonly "~join": JoinParts;
}

/** What can be a part of a server: a server, or a gateway of `./compose`. */
export interface Composable<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** Types only; never present at run time. */
  readonly "~tools"?: Tools | undefined;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~offer": ServerOffer;
}

/** What a server is made of, for another that it is to be a part of. */
export interface ServerOffer {
  /** As they were given. */
  readonly options: Partial<ServerOptions<readonly AnyTool[], readonly Part[]>>;
  /** The tools, as they are now; system tools, too. */
  plans(): readonly ToolDefinition[];
  /** What its parts give; `undefined` if it has none. */
  readonly parts: JoinedParts | undefined;
  /** News of what it offers. */
  readonly changes: Pick<ChangeBus, "subscribe">;
}

/** All parts of a server, as one. */
export interface JoinedParts extends PartTools {
  /** What callers can read, of the server itself and of its parts. */
  readonly resources: readonly Resource[];
  /** The prompts, likewise. */
  readonly prompts: readonly Prompt[];
  /** News of what the server offers, and of what its parts do; what is published is the server's. */
  readonly changes: ChangeBus;
  /** Has `listener` called when the parts have other tools, before there is news of it; until what this returns is called, or all is closed. */
  onPlans(listener: () => void): () => void;
  /** Ends what gateways hold open; there is no more news. */
  close(): void;
}

/**
 * Makes one of all parts of a server.
 *
 * @throws {TypeError} If something is no part, or finds out who calls where the server does not.
 */
export type JoinParts = (options: ServerOffer["options"], own: ChangeBus) => JoinedParts;

/** The tools of a server and of its parts. */
export type AllTools<Tools extends readonly AnyTool[], Parts extends readonly Part[]> = Parts extends readonly []
  ? Tools
  : readonly (Tools[number] | NonNullable<Parts[number]["~tools"]>[number])[];
