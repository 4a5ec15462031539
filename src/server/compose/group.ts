/**
 * `group` and `mount`: a server as a part of another.
 *
 * The whole takes the server's tools, resources and prompts, with the server's middleware, error mapping,
 * config and limits around them. The server itself does not run.
 */
import type { ToolSource } from "../../client/types.ts";
import { describeReceived } from "../../internal/text.ts";
import { checkOptions, oneOf, type OptionRules } from "../../internal/options.ts";
import type { Composable, ServerContents, ServerPart } from "../server_options.ts";
import { type Access, ACCESS_RULES, type AccessOptions, restrict } from "../../core/tool/access.ts";
import type { PartDefinition } from "../../core/tool/part.ts";
import type { AnyTool, Tool } from "../../core/tool/definition.ts";
import type { Resource } from "../../core/content/content_catalog.ts";
import { mergeParts, type PartContents, type PartWithContents } from "./merge_parts.ts";
import { errorResult } from "../../core/call/outcome.ts";
import { nestsDeeperThan, type Optional } from "../../internal/json.ts";
import type { Limits } from "../../wires/wire.ts";
import type { Middleware } from "../../core/handler/middleware.ts";

/** Separators between a prefix and a name that are valid in tool names on every wire. */
export type Separator = "_" | "-" | ".";

/** Options of {@link group}: `visibleTo` and `scopes` hold for all that the group has. */
export interface GroupOptions<Between extends Separator = Separator> extends AccessOptions {
  /** Separator between the prefix and a name. Default: `"_"`, which agent frameworks allow, too. */
  readonly separator?: Between | undefined;
}

const RULES: OptionRules<GroupOptions<Separator>> = { separator: oneOf("_", "-", "."), ...ACCESS_RULES };

/** Union of the tool types of a source, such as `typeof server`. */
export type ToolsIn<Source extends ToolSource> = NonNullable<Source["~tools"]>[number];

/** The same tool types, with the prefix of a group before their names. */
export type Grouped<Prefix extends string, Tools extends AnyTool> = Tools extends
  Tool<infer Name, infer Input, infer Output, infer Partial, infer Errors>
  ? Tool<`${Prefix}${Name}`, Input, Output, Partial, Errors>
  : never;

/**
 * A server as a part of another, with a prefix before the names of its tools and prompts.
 *
 * It keeps its middleware (inside the whole's), error mapping, config, limits and timeout; scopes and visibility stay with each
 * tool. A prefix is a namespace: idempotency keys and caller state are separate, too. URIs of resources are
 * not changed. Keys, engine, logger, wires, hosts and auth are the whole's.
 *
 * @example Two servers as one
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { group } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const git = createServer({ tools: [defineTool("log").describe("Show commits").handle(() => "a commit")] });
 * const app = createServer({ tools: [defineTool("log").describe("Show events").handle(() => "an event")], parts: [group("git", git)] });
 *
 * const client = testClient(app);
 * console.log(await client.log()); // → an event
 * console.log(await client.git_log()); // → a commit
 * ```
 * @param prefix Prefix of valid tool name characters.
 * @param source A server, or a gateway.
 * @throws {TypeError} If the prefix or an option is invalid.
 */
export function group<
  const Prefix extends string,
  Source extends Composable,
  const Between extends Separator = "_",
>(
  prefix: Prefix,
  source: Source,
  options: GroupOptions<Between> = {},
): ServerPart<Grouped<`${Prefix}${NoInfer<Between>}`, ToolsIn<Source>>> {
  if (typeof prefix !== "string" || !/^[A-Za-z0-9_.-]{1,63}$/.test(prefix)) {
    throw new TypeError(
      `Cannot group: a prefix is of the characters A-Z a-z 0-9 _ . -, as in group("git", server), not ${
        describeReceived(prefix)
      }`,
    );
  }
  checkOptions<GroupOptions<Separator>>(`group under "${prefix}"`, options, RULES);
  const separator: Separator = options.separator ?? "_";
  return partOf(source, `group "${prefix}"`, prefix, `${prefix}${separator}`, options);
}

/**
 * A server as a part of another, with unchanged names: as {@link group} without a prefix, so in the whole's
 * namespace.
 *
 * @example Its promise tokens are valid at the whole, too, if both have the same keys and engine
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { mount } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const db = createServer({ name: "db", tools: [defineTool("query").describe("Query").handle(() => 42)] });
 * console.log(await testClient(createServer({ tools: [], parts: [mount(db)] })).query()); // → 42
 * ```
 * @param source A server, or a gateway.
 * @throws {TypeError} If an option is invalid.
 */
export function mount<Source extends Composable>(
  source: Source,
  options: AccessOptions = {},
): ServerPart<ToolsIn<Source>> {
  const place = `server "${contentsOf(source).options.name ?? "toolwire"}"`;
  checkOptions<AccessOptions>(`mount the ${place}`, options, ACCESS_RULES);
  return partOf(source, place, undefined, "", options);
}

function contentsOf(source: Composable): ServerContents {
  const contents = source?.["~contents"];
  if (contents !== undefined) return contents;
  const hint = Array.isArray(source) ? ": createServer({ tools }) makes a server of an array of tools" : "";
  throw new TypeError(`Cannot compose: pass a server of createServer(…), or the awaited result of gateway(…)${hint}`);
}

function partOf(
  source: Composable,
  place: string,
  prefix: string | undefined,
  before: string,
  access: AccessOptions,
): PartWithContents<never> {
  const contents = contentsOf(source);
  const { options, parts, changes } = contents;
  const restricted = (own: Access): Access => restrict(restrict(own, contents.access ?? {}), access);
  const within = scopeOf(options, place, prefix, restricted);
  const named = <Definition extends PartEntry & { readonly name: string }>(definition: Definition): Definition => ({
    ...definition,
    name: before + definition.name,
    part: within(definition.part, definition.name),
    scopes: restricted({ ...definition, isVisible: undefined }).scopes,
  });
  const placed = (resource: Resource): Resource => {
    const definition = resource["~resource"];
    const { scopes } = restricted({ ...definition, isVisible: undefined });
    return { ...resource, "~resource": { ...definition, part: within(definition.part, definition.uri), scopes } };
  };
  const part: PartContents = {
    place,
    definitions: () =>
      contents.definitions().filter(({ isSystem }) => !isSystem).map((definition) => {
        const { isVisible } = restricted(definition);
        return {
          ...named(definition),
          isVisible,
          resource: definition.resource && placed(definition.resource as Resource),
        };
      }),
    resources: (parts?.resources ?? options.resources ?? []).map(placed),
    prompts: (parts?.prompts ?? options.prompts ?? []).map((prompt) => {
      const definition = named(prompt["~prompt"]);
      return { ...prompt, name: definition.name, "~prompt": definition };
    }),
    changes,
    onDefinitionsChanged: (listener) => parts?.onDefinitionsChanged(listener) ?? (() => {}),
    hasAuth: options.auth !== undefined,
    close: () => parts?.close(),
  };
  return { "~part": part, "~join": mergeParts };
}

/** What tools, prompts and resources of a part have in common. */
interface PartEntry {
  readonly part: PartDefinition | undefined;
  readonly scopes: Access["scopes"];
}

/** Settings of a server around the settings of its parts. */
function scopeOf(
  options: ServerContents["options"],
  place: string,
  prefix: string | undefined,
  restricted: (own: Access) => Access,
): (inner: PartDefinition | undefined, name: string) => PartDefinition {
  const { middleware = [], jobMiddleware = [], onError, config, timeoutMs, limits = {} } = options;
  const around = [...holdArguments(limits, place), ...middleware];
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
    isVisible: restricted({ scopes: [], isVisible: inner?.isVisible }).isVisible,
  });
}

const encoder = new TextEncoder();

/** Middleware that applies a part's body limits to arguments, since the whole may allow more. `undefined` without such limits. */
function holdArguments({ bodyBytes, depth }: Optional<Limits>, place: string): readonly Middleware[] {
  if (bodyBytes === undefined && depth === undefined) return [];
  const hold: Middleware = ({ call, tool }, next) => {
    // The arguments of a redeem are a promise token, whose length is limited.
    if (tool.isSystem) return next();
    const text = JSON.stringify(call.args);
    if (bodyBytes !== undefined && encoder.encode(text).length > bodyBytes) {
      return errorResult(
        "payload_too_large",
        `The arguments are larger than ${bodyBytes} bytes, the limits.bodyBytes of ${place}`,
      );
    }
    if (depth !== undefined && nestsDeeperThan(text, depth)) {
      return errorResult("invalid_request", `The arguments nest deeper than ${depth}`);
    }
    return next();
  };
  return [hold];
}
