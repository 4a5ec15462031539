/**
 * The resources and prompts of one server: found by name or URI, and run as tools are.
 *
 * @module
 */
import type { Call } from "../call/call.ts";
import type { ResourceContents } from "../call/content.ts";
import { type ErrorResult, errorResult, type Sink } from "../call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { closestMatch } from "../../internal/text.ts";
import { omitUndefined } from "../../internal/json.ts";
import { refuseCaller } from "../tool/access.ts";
import { type PartPlan, placeOf } from "../tool/part.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type {
  Catalog,
  CatalogRequest,
  Completion,
  CompletionRequest,
  CreateCatalog,
  PromptContent,
  RunPlan,
  SettledWith,
} from "./catalog.ts";
import { boundCompletion, type Completers } from "./completion.ts";
import {
  listPrompt,
  listResource,
  listTemplate,
  type PromptListing,
  type ResourceListing,
  type ResourceTemplateListing,
} from "./listing.ts";
import { planOf, whenGiven } from "./definition.ts";
import type { PromptAnswer, PromptPlan } from "./prompt.ts";
import { toPromptContent } from "./prompt_content.ts";
import { toContents } from "./read_contents.ts";
import type { ListedResource, ResourceAnswer, ResourcePlan } from "./resource.ts";
import type { UriVariables } from "./uri_template/uri_template.ts";

/** Most names that a refusal lists. */
const MAX_LISTED = 50;

const NOTHING: Completion = { values: [], hasMore: false };

/** Makes the catalog of a server. */
export const createCatalog: CreateCatalog = (resources, prompts, run) =>
  new ServerCatalog(
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

class ServerCatalog implements Catalog {
  readonly prompts: readonly PromptListing[];
  readonly templates: readonly ResourceTemplateListing[];
  readonly hasResources: boolean;
  readonly canComplete: boolean;
  readonly #run: RunPlan;
  readonly #prompts: ReadonlyMap<string, Runnable<PromptPlan>>;
  /** By URI or template, in order of definition. */
  readonly #resources: ReadonlyMap<string, Runnable<ResourcePlan>>;
  /** The same, by who reads them: what is here first, then each server elsewhere. */
  readonly #readers: readonly ReadonlyMap<string, Runnable<ResourcePlan>>[];
  readonly #listed: readonly ResourceListing[];
  /** `undefined` if no template lists anything: then nothing has to be run. */
  readonly #list: ToolDefinition | undefined;

  constructor(resources: readonly ResourcePlan[], prompts: readonly PromptPlan[], run: RunPlan) {
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
    this.#list = isDynamic ? planOf("list:resources", (_, ctx) => listAll(resources, ctx)) : undefined;
  }

  listResources(request: CatalogRequest): MaybePromise<SettledWith<readonly ResourceListing[]>> {
    if (this.#list === undefined) return { kind: "answer", value: this.#listed };
    return this.#runQuietly(this.#list, {}, request);
  }

  readResource(
    uri: string,
    request: CatalogRequest,
    sink?: Sink,
  ): MaybePromise<SettledWith<readonly ResourceContents[]>> {
    const found = this.#find(uri);
    if (found === undefined) return errorResult("resource_not_found", "Resource not found", { uri });
    const read: Read = { uri, variables: found.variables };
    return this.#runPlan(found.run, read, request, sink);
  }

  getPrompt(
    name: string,
    args: unknown,
    request: CatalogRequest,
    sink?: Sink,
  ): MaybePromise<SettledWith<PromptContent>> {
    const found = this.#prompts.get(name);
    return found === undefined ? this.#promptNotFound(name) : this.#runPlan(found.run, args, request, sink);
  }

  complete(request: CompletionRequest): MaybePromise<SettledWith<Completion>> {
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
    request: CatalogRequest,
  ): MaybePromise<SettledWith<Completion>> {
    const { argument, value, given } = asked;
    const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined;
    if (completer === undefined) return { kind: "answer", value: NOTHING };
    const complete: ToolDefinition["handler"] = (_, ctx) => whenGiven(completer(value, ctx, given), boundCompletion);
    const plan = planOf(`complete:${name}`, complete, { scopes, part });
    return this.#runQuietly(plan, asked, request);
  }

  #find(uri: string): (Runnable<ResourcePlan> & { readonly variables: UriVariables }) | undefined {
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
  #runQuietly<Value>(plan: ToolDefinition, args: unknown, request: CatalogRequest): MaybePromise<SettledWith<Value>> {
    const settled = this.#runPlan<Value>(plan, args, request);
    return settled instanceof Promise ? settled.then(refuseAsks) : refuseAsks(settled);
  }

  /** The one cast: what a plan answers is what its handler was made to. */
  #runPlan<Value>(
    plan: ToolDefinition,
    args: unknown,
    { peer, meta }: CatalogRequest,
    sink?: Sink,
  ): MaybePromise<SettledWith<Value>> {
    const call: Call = { tool: plan.name, args, meta: meta && meaningful(meta), peer };
    return this.#run(plan, call, sink) as MaybePromise<SettledWith<Value>>;
  }
}

function promptRun(plan: PromptPlan): ToolDefinition {
  return planOf(
    `prompt:${plan.name}`,
    (args, ctx) => whenGiven<PromptAnswer>(plan.handler(args, ctx), (answer) => toPromptContent(plan, answer)),
    plan,
  );
}

function resourceRun(plan: ResourcePlan): ToolDefinition {
  return planOf(`resource:${plan.uri}`, (args, ctx) => {
    const { uri, variables } = args as Read;
    return whenGiven<ResourceAnswer>(plan.reader(variables, ctx, uri), (answer) => toContents(plan, uri, answer));
  }, plan);
}

async function listAll(resources: readonly ResourcePlan[], ctx: Parameters<ToolDefinition["handler"]>[1]) {
  const lists = await Promise.all(resources.map(async (plan): Promise<readonly ResourceListing[]> => {
    if (plan.template === undefined) return [listResource(plan)];
    // What a template lists is as much of it as what can be read.
    if (refuseCaller(plan, ctx.principal) !== undefined) return [];
    const listed = await plan.list?.(ctx) ?? [];
    return listed.map((one) => listOne(plan, one));
  }));
  return lists.flat();
}

/** A resource of a template, as it is listed. */
function listOne(plan: ResourcePlan, { variables, ...own }: ListedResource): ResourceListing {
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

function refuseAsks<Value>(settled: SettledWith<Value>): SettledWith<Value> {
  const isOver = settled.kind === "answer" || settled.kind === "failure" || settled.kind === "error";
  return isOver ? settled : errorResult("internal", "A list or a completion cannot ask its caller");
}

/** There are no jobs of prompts and resources: what would make one is left out. */
function meaningful({ deadlineMs, continuation, responses, context }: NonNullable<CatalogRequest["meta"]>) {
  return { deadlineMs, continuation, responses, context };
}

function byKey<Plan extends { readonly part: PartPlan | undefined }>(
  entries: readonly (readonly [string, Runnable<Plan>])[],
  what: string,
): ReadonlyMap<string, Runnable<Plan>> {
  const found = new Map<string, Runnable<Plan>>();
  for (const [key, one] of entries) {
    const other = found.get(key)?.plan.part;
    const { part } = one.plan;
    if (found.has(key)) {
      const places = part === other ? "" : `, of ${placeOf(other)} and of ${placeOf(part)}`;
      throw new TypeError(`Cannot create server: two ${what} are "${key}"${places}; rename one, or leave one out`);
    }
    found.set(key, one);
  }
  return found;
}

/** What a server elsewhere lists is its own word: it reads no URI that is of something here, or of a server before it. */
function byReader(all: ReadonlyMap<string, Runnable<ResourcePlan>>): ReadonlyMap<string, Runnable<ResourcePlan>>[] {
  const groups = Map.groupBy(all, ([, { plan }]) => plan.relay);
  const own = groups.get(undefined) ?? [];
  groups.delete(undefined);
  return [own, ...groups.values()].map((entries) => new Map(entries));
}

function finished<Plan>(plan: Plan | undefined, what: string, end: string): Plan {
  if (plan !== undefined) return plan;
  throw new TypeError(`Cannot create server: a ${what} is not finished; end its definition with ${end}`);
}
