/**
 * `group` and `mount`: a server as a part of another.
 *
 * What the server is made of goes into the whole: its tools, resources and prompts, and around them its own middleware, errors,
 * config and limits. The server itself does not run.
 *
 * @module
 */
import type { ToolSource } from "../../client/types.ts";
import { describeReceived } from "../../internal/text.ts";
import { checkOptions, oneOf, type OptionRules } from "../../internal/options.ts";
import type { Composable, Part, ServerOffer } from "../part.ts";
import type { PartDefinition } from "../../core/tool/part.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import { holdArguments } from "./argument_limits.ts";
import { joinParts } from "./merge_parts.ts";
import type { OfferedPart, PartOffer } from "./part_contents.ts";

/** What may stand between a prefix and a name: what names of tools may have on every wire. */
export type Separator = "_" | "-" | ".";

/** Options of {@link group}. */
export interface GroupOptions<Between extends Separator = Separator> {
  /** What stands between the prefix and a name. Default: `"_"`, which agent frameworks allow, too. */
  readonly separator?: Between;
}

const RULES: OptionRules<GroupOptions<Separator>> = { separator: oneOf("_", "-", ".") };

/** The tools of a source, each of them. */
export type ToolsIn<Source extends ToolSource> = NonNullable<Source["~tools"]>[number];

/** Tools under names with a prefix. */
export type Grouped<Prefix extends string, Tools extends AnyTool> = Tools extends AnyTool ? {
    /** Unique on its server. */
    readonly name: `${Prefix}${Tools["name"]}`;
    /** Types only; never present at run time. */
    readonly "~types"?: Tools["~types"];
    /** @internal */
    readonly "~definition": Tools["~definition"];
  }
  : never;

/**
 * A server as a part of another, with a prefix before the names of its tools and prompts.
 *
 * It keeps its own middleware, inside of the whole's, its errors, config, limits and time; scopes and visibility stay with each
 * tool. A prefix is a namespace: idempotency keys and what callers keep as context are apart, too. URIs of resources stay as
 * they are. Keys, engine, logger, wires, hosts and auth are the whole's.
 *
 * @example Two servers as one
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { group } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const git = createServer({ tools: [defineTool("log").describe("Show commits").handle(() => "a commit")] });
 * const app = createServer({ tools: [defineTool("log").describe("Show events").handle(() => "an event")], parts: [group("git", git)] });
 *
 * const client = testClient(app);
 * strictEqual(await client.log(), "an event");
 * strictEqual(await client.git_log(), "a commit");
 * ```
 * @param prefix Of the characters that names of tools may have.
 * @param source A server, or a gateway.
 * @throws {TypeError} If the prefix or an option does not fit.
 */
export function group<
  const Prefix extends string,
  Source extends Composable,
  const Between extends Separator = "_",
>(
  prefix: Prefix,
  source: Source,
  options: GroupOptions<Between> = {},
): Part<Grouped<`${Prefix}${NoInfer<Between>}`, ToolsIn<Source>>> {
  if (typeof prefix !== "string" || !/^[A-Za-z0-9_.-]{1,63}$/.test(prefix)) {
    throw new TypeError(
      `Cannot group: a prefix is of the characters A-Z a-z 0-9 _ . -, as in group("git", server), not ${
        describeReceived(prefix)
      }`,
    );
  }
  checkOptions<GroupOptions<Separator>>(`group under "${prefix}"`, options, RULES);
  const separator: Separator = options.separator ?? "_";
  return partOf(source, `group "${prefix}"`, prefix, `${prefix}${separator}`);
}

/**
 * A server as a part of another, under the names that it has: as {@link group}, without a prefix and so in the whole's own
 * namespace.
 *
 * @example Its promises are good at the whole, too, if both have the same keys and engine
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { mount } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const db = createServer({ name: "db", tools: [defineTool("query").describe("Query").handle(() => 42)] });
 * strictEqual(await testClient(createServer({ tools: [], parts: [mount(db)] })).query(), 42);
 * ```
 * @param source A server, or a gateway.
 */
export function mount<Source extends Composable>(source: Source): Part<ToolsIn<Source>> {
  return partOf(source, `server "${offerOf(source).options.name ?? "toolwire"}"`, undefined, "");
}

function offerOf(source: Composable): ServerOffer {
  const offer = source?.["~offer"];
  if (offer !== undefined) return offer;
  throw new TypeError("Cannot compose: pass a server of createServer(…), or what gateway(…) gives, awaited");
}

function partOf(source: Composable, place: string, prefix: string | undefined, before: string): OfferedPart<never> {
  const offer = offerOf(source);
  const { options, parts, changes } = offer;
  const within = scopeOf(options, place, prefix);
  const named = <Plan extends { readonly name: string; readonly part: PartDefinition | undefined }>(
    plan: Plan,
  ): Plan => ({
    ...plan,
    name: before + plan.name,
    part: within(plan.part, plan.name),
  });
  const part: PartOffer = {
    place,
    plans: () => offer.plans().filter(({ isSystem }) => !isSystem).map(named),
    resources: (parts?.resources ?? options.resources ?? []).map((resource) => {
      const plan = resource["~resource"];
      return { ...resource, "~resource": { ...plan, part: within(plan.part, plan.uri) } };
    }),
    prompts: (parts?.prompts ?? options.prompts ?? []).map((prompt) => {
      const plan = named(prompt["~prompt"]);
      return { ...prompt, name: plan.name, "~prompt": plan };
    }),
    changes,
    onPlans: (listener) => parts?.onPlans(listener) ?? (() => {}),
    hasAuth: options.auth !== undefined,
    close: () => parts?.close(),
  };
  return { "~part": part, "~join": joinParts };
}

/** What is kept of a server, around what was kept of the servers within it. */
function scopeOf(
  options: ServerOffer["options"],
  place: string,
  prefix: string | undefined,
): (inner: PartDefinition | undefined, name: string) => PartDefinition {
  const { middleware = [], jobMiddleware = [], onError, config, timeoutMs, limits = {} } = options;
  const around = [...holdArguments(limits), ...middleware];
  return (inner, name) => ({
    origin: inner === undefined ? place : `${inner.origin} of ${place}`,
    path: [...prefix === undefined ? [] : [prefix], ...inner?.path ?? []],
    ownNames: [name, ...inner?.ownNames ?? []],
    middleware: [...around, ...inner?.middleware ?? []],
    jobMiddleware: [...jobMiddleware, ...inner?.jobMiddleware ?? []],
    onError: [...inner?.onError ?? [], ...onError === undefined ? [] : [onError]],
    config: inner?.config ?? config,
    timeoutMs: inner?.timeoutMs ?? timeoutMs,
    resultChars: Math.min(inner?.resultChars ?? Infinity, limits.resultChars ?? Infinity),
  });
}
