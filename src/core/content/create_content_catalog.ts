/**
 * The resources and prompts of one server: found by name or URI, and run as tools are.
 *
 * @module
 */
import type { Call } from "../call/call.ts";
import type { ResourceContents } from "../call/content.ts";
import { type ErrorResult, errorResult, type Sink } from "../call/outcome.ts";
import { mapMaybe, type MaybePromise } from "../../internal/async.ts";
import { closestMatch } from "../../internal/text.ts";
import { omitUndefined } from "../../internal/json.ts";
import { authorizationError } from "../tool/access.ts";
import { originOf, type PartDefinition } from "../tool/part.ts";
import { EMPTY_DEFINITION, type ToolDefinition } from "../tool/definition.ts";
import type {
  CallResultOf,
  CompletionRequest,
  ContentCatalog,
  ContentRequest,
  CreateContentCatalog,
  RunDefinition,
} from "./content_catalog.ts";
import { type Completers, type Completion, toCompletion } from "./completion.ts";
import {
  listPrompt,
  type PromptContent,
  type PromptDefinition,
  type PromptListing,
  toPromptContent,
} from "./prompt.ts";
import {
  type ListedResource,
  listResource,
  listTemplate,
  type ResourceDefinition,
  type ResourceListing,
  type ResourceTemplateListing,
  toResourceContentsList,
} from "./resource.ts";
import type { UriVariables } from "./uri_template/uri_template.ts";
import { SCHEMA_ADAPTERS } from "../schema/adapters.ts";

/** Most names that a refusal lists. */
const MAX_LISTED = 50;

const NOTHING: Completion = { values: [], hasMore: false };

/** Makes the catalog of a server. */
export const createContentCatalog: CreateContentCatalog = (resources, prompts, run) =>
  new ServerContentCatalog(
    resources.map((resource) => finished(resource?.["~resource"], "resource", ".read(…)")),
    prompts.map((prompt) => finished(prompt?.["~prompt"], "prompt", ".handle(…)")),
    run,
  );

/** A definition, with what dispatch runs for it. */
interface Runnable<Plan> {
  readonly plan: Plan;
  readonly run: ToolDefinition;
}

interface Read {
  readonly uri: string;
  readonly variables: UriVariables;
}

interface Complete {
  readonly argument: string;
  readonly value: string;
  readonly given: Readonly<Record<string, string>>;
}

class ServerContentCatalog implements ContentCatalog {
  readonly prompts: readonly PromptListing[];
  readonly templates: readonly ResourceTemplateListing[];
  readonly hasResources: boolean;
  readonly canComplete: boolean;
  readonly #run: RunDefinition;
  readonly #prompts: ReadonlyMap<string, Runnable<PromptDefinition>>;
  /** By URI or template, in order of definition. */
  readonly #resources: ReadonlyMap<string, Runnable<ResourceDefinition>>;
  /** The same, by who reads them: what is here first, then each server elsewhere. */
  readonly #readers: readonly ReadonlyMap<string, Runnable<ResourceDefinition>>[];
  readonly #listed: readonly ResourceListing[];
  /** `undefined` if no template lists anything: then nothing has to be run. */
  readonly #list: ToolDefinition | undefined;

  constructor(resources: readonly ResourceDefinition[], prompts: readonly PromptDefinition[], run: RunDefinition) {
    this.#run = run;
    this.#prompts = byKey(prompts.map((plan) => [plan.name, { plan, run: promptRun(plan) }]), "prompts");
    this.#resources = byKey(resources.map((plan) => [plan.uri, { plan, run: resourceRun(plan) }]), "resources");
    this.#readers = byReader(this.#resources);
    const fixed = resources.filter(({ template }) => template === undefined);
    this.prompts = prompts.map(listPrompt);
    this.templates = resources.filter(({ template }) => template !== undefined).map(listTemplate);
    this.hasResources = resources.length > 0;
    this.canComplete = [...prompts, ...resources].some(({ completers }) => Object.keys(completers).length > 0);
    this.#listed = fixed.map(listResource);
    const isDynamic = resources.some(({ list }) => list !== undefined);
    this.#list = isDynamic ? toDefinition("list:resources", (_, ctx) => listAll(resources, ctx)) : undefined;
  }

  listResources(request: ContentRequest): MaybePromise<CallResultOf<readonly ResourceListing[]>> {
    if (this.#list === undefined) return { kind: "answer", value: this.#listed };
    return this.#runQuietly(this.#list, {}, request);
  }

  readResource(
    uri: string,
    request: ContentRequest,
    sink?: Sink,
  ): MaybePromise<CallResultOf<readonly ResourceContents[]>> {
    const found = this.#find(uri);
    if (found === undefined) return errorResult("resource_not_found", "Resource not found", { uri });
    const read: Read = { uri, variables: found.variables };
    return this.#runPlan(found.run, read, request, sink);
  }

  getPrompt(
    name: string,
    args: unknown,
    request: ContentRequest,
    sink?: Sink,
  ): MaybePromise<CallResultOf<PromptContent>> {
    const found = this.#prompts.get(name);
    return found === undefined ? this.#promptNotFound(name) : this.#runPlan(found.run, args, request, sink);
  }

  complete(request: CompletionRequest): MaybePromise<CallResultOf<Completion>> {
    const { of, argument, value, given = {} } = request;
    if ("prompt" in of) {
      const prompt = this.#prompts.get(of.prompt);
      if (prompt === undefined) return this.#promptNotFound(of.prompt);
      return this.#complete(prompt.run, prompt.plan.completers, { argument, value, given }, request);
    }
    const resource = this.#resources.get(of.resource);
    if (resource === undefined) return errorResult("resource_not_found", "Resource not found", { uri: of.resource });
    return this.#complete(resource.run, resource.plan.completers, { argument, value, given }, request);
  }

  #complete(
    { name, scopes, part }: ToolDefinition,
    completers: Completers,
    asked: Complete,
    request: ContentRequest,
  ): MaybePromise<CallResultOf<Completion>> {
    const { argument, value, given } = asked;
    const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined;
    if (completer === undefined) return { kind: "answer", value: NOTHING };
    const complete: ToolDefinition["handler"] = (_, ctx) => mapMaybe(completer(value, ctx, given), toCompletion);
    const plan = toDefinition(`complete:${name}`, complete, { scopes, part });
    return this.#runQuietly(plan, asked, request);
  }

  #find(uri: string): (Runnable<ResourceDefinition> & { readonly variables: UriVariables }) | undefined {
    for (const resources of this.#readers) {
      const fixed = resources.get(uri);
      if (fixed !== undefined && fixed.plan.template === undefined) return { ...fixed, variables: {} };
      for (const one of resources.values()) {
        const variables = one.plan.template?.match(uri);
        if (variables !== undefined) return { ...one, variables };
      }
    }
    return undefined;
  }

  #promptNotFound(requested: string): ErrorResult {
    const names = [...this.#prompts.keys()];
    const similar = closestMatch(requested, names);
    return errorResult("prompt_not_found", "Prompt not found", {
      requested_prompt: requested.slice(0, 256),
      available_prompts: names.slice(0, MAX_LISTED),
      ...(similar !== undefined && { suggestion: `Did you mean '${similar}'?` }),
    });
  }

  /** Runs what has no way to ask. */
  #runQuietly<Value>(plan: ToolDefinition, args: unknown, request: ContentRequest): MaybePromise<CallResultOf<Value>> {
    const settled = this.#runPlan<Value>(plan, args, request);
    return settled instanceof Promise ? settled.then(refuseAsks) : refuseAsks(settled);
  }

  /** The one cast: what a plan answers is what its handler was made to. */
  #runPlan<Value>(
    plan: ToolDefinition,
    args: unknown,
    { peer, meta }: ContentRequest,
    sink?: Sink,
  ): MaybePromise<CallResultOf<Value>> {
    const call: Call = { tool: plan.name, args, meta: meta && meaningful(meta), peer };
    return this.#run(plan, call, sink) as MaybePromise<CallResultOf<Value>>;
  }
}

function promptRun(plan: PromptDefinition): ToolDefinition {
  return toDefinition(
    `prompt:${plan.name}`,
    (args, ctx) => mapMaybe(plan.handler(args, ctx), (answer) => toPromptContent(plan, answer)),
    plan,
  );
}

function resourceRun(plan: ResourceDefinition): ToolDefinition {
  return toDefinition(`resource:${plan.uri}`, (args, ctx) => {
    const { uri, variables } = args as Read;
    return mapMaybe(plan.reader(variables, ctx, uri), (answer) => toResourceContentsList(plan, uri, answer));
  }, plan);
}

async function listAll(resources: readonly ResourceDefinition[], ctx: Parameters<ToolDefinition["handler"]>[1]) {
  const lists = await Promise.all(resources.map(async (plan): Promise<readonly ResourceListing[]> => {
    if (plan.template === undefined) return [listResource(plan)];
    // What a template lists is as much of it as what can be read.
    if (authorizationError(plan, ctx.principal) !== undefined) return [];
    const listed = await plan.list?.(ctx) ?? [];
    return listed.map((one) => listOne(plan, one));
  }));
  return lists.flat();
}

/** A resource of a template, as it is listed. */
function listOne(plan: ResourceDefinition, { variables, ...own }: ListedResource): ResourceListing {
  const uri = plan.template?.expand(variables) ?? plan.uri;
  if (plan.template?.match(uri) === undefined) {
    throw new TypeError(
      `Cannot list ${
        JSON.stringify(uri)
      }: "${plan.uri}" does not read it; give each variable a value that is not empty`,
    );
  }
  const { icons, mimeType, annotations } = listTemplate(plan);
  return { uri, name: uri, ...omitUndefined({ icons, mimeType, annotations }), ...own };
}

function refuseAsks<Value>(settled: CallResultOf<Value>): CallResultOf<Value> {
  const isOver = settled.kind === "answer" || settled.kind === "failure" || settled.kind === "error";
  return isOver ? settled : errorResult("internal", "A list or a completion cannot ask its caller");
}

/** There are no jobs of prompts and resources: what would make one is left out. */
function meaningful({ deadlineMs, continuation, responses, context }: NonNullable<ContentRequest["meta"]>) {
  return { deadlineMs, continuation, responses, context };
}

function byKey<Plan extends { readonly part: PartDefinition | undefined }>(
  entries: readonly (readonly [string, Runnable<Plan>])[],
  what: string,
): ReadonlyMap<string, Runnable<Plan>> {
  const found = new Map<string, Runnable<Plan>>();
  for (const [key, one] of entries) {
    const other = found.get(key)?.plan.part;
    const { part } = one.plan;
    if (found.has(key)) {
      const places = part === other ? "" : `, of ${originOf(other)} and of ${originOf(part)}`;
      throw new TypeError(`Cannot create server: two ${what} are "${key}"${places}; rename one, or leave one out`);
    }
    found.set(key, one);
  }
  return found;
}

/** What a server elsewhere lists is its own word: it reads no URI that is of something here, or of a server before it. */
function byReader(
  all: ReadonlyMap<string, Runnable<ResourceDefinition>>,
): ReadonlyMap<string, Runnable<ResourceDefinition>>[] {
  const groups = Map.groupBy(all, ([, { plan }]) => plan.remote);
  const own = groups.get(undefined) ?? [];
  groups.delete(undefined);
  return [own, ...groups.values()].map((entries) => new Map(entries));
}

function finished<Plan>(plan: Plan | undefined, what: string, end: string): Plan {
  if (plan !== undefined) return plan;
  throw new TypeError(`Cannot create server: a ${what} is not finished; end its definition with ${end}`);
}

/** What comes before the handler. */
export type DefinitionParts = Partial<Pick<ToolDefinition, "input" | "scopes" | "part">>;

/**
 * What dispatch runs in place of a tool.
 *
 * @param name Has a colon, as no tool's name has: continuations of the one are none of the other.
 */
export function toDefinition(
  name: string,
  handler: ToolDefinition["handler"],
  { input, scopes = [], part }: DefinitionParts = {},
): ToolDefinition {
  return { ...EMPTY_DEFINITION, adapters: SCHEMA_ADAPTERS, name, description: "", input, scopes, part, handler };
}
