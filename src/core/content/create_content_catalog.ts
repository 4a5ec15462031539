/** The resources and prompts of one server: looked up by name or URI, and run as tools are. */
import type { Call, Principal } from "../call/call.ts";
import type { ResourceContents } from "../call/content.ts";
import { type ErrorResult, errorResult, type Sink } from "../call/outcome.ts";
import { chain, type MaybeFuture } from "../../internal/future.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import { NameIndex } from "../../internal/name_index.ts";
import { describeUnknown, MAX_LISTED } from "../../internal/text.ts";
import { isJsonObject, omitUndefined } from "../../internal/json.ts";
import type { MiddlewareCtx } from "../handler/middleware.ts";
import { authorizationError } from "../tool/access.ts";
import { originOf, type PartDefinition } from "../tool/part.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type {
  CallResultOf,
  CompletionRequest,
  ContentCall,
  ContentCatalog,
  ContentMethod,
  CreateContentCatalog,
  RunDefinition,
} from "./content_catalog.ts";
import type { ContentExtension } from "./extension.ts";
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
import { type GuardedContent, isOpenTo, ListedContents, visibilityOf } from "./listed_contents.ts";
import type { UriVariables } from "./uri_template/uri_template.ts";
import { toRunDefinition } from "./content_definition.ts";

const NOTHING: Completion = { values: [], hasMore: false };

/** Creates the catalog of a server. @throws {TypeError} If a resource or prompt is not finished, or two have the same URI or name. */
export const createContentCatalog: CreateContentCatalog = (resources, prompts, run) =>
  new ServerContentCatalog(
    distinct(resources.map((resource) => assertFinished(resource?.["~resource"], "resource", ".read(…)"))),
    prompts.map((prompt) => assertFinished(prompt?.["~prompt"], "prompt", ".handle(…)")),
    run,
  );

/** A definition and its form for dispatch. */
interface Runnable<Definition> {
  readonly definition: Definition;
  readonly run: ToolDefinition;
}

/** The resources of one source. Callers choose the URI, so no look at each fixed one is made for it. */
interface Reader {
  /** Resources with a fixed URI, by their URI. */
  readonly fixed: ReadonlyMap<string, Runnable<ResourceDefinition>>;
  /** Resource templates, in the order of their definition, in which they are matched. */
  readonly templates: readonly Runnable<ResourceDefinition>[];
}

/** Parameters of a read: the URI, and the variables of the template that matches it. */
interface Read {
  readonly uri: string;
  readonly variables: UriVariables;
}

/** Parameters of a completion. */
interface Complete {
  readonly argument: string;
  readonly value: string;
  readonly otherArguments: Readonly<Record<string, string>>;
}

/** Resources and prompts of a server, listed and read through dispatch like calls. */
class ServerContentCatalog implements ContentCatalog {
  readonly methods: ReadonlyMap<string, ContentMethod>;
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  readonly canComplete: boolean;
  readonly #run: RunDefinition;
  readonly #prompts: ReadonlyMap<string, Runnable<PromptDefinition>>;
  readonly #promptList: ListedContents<PromptListing>;
  readonly #templateList: ListedContents<ResourceTemplateListing>;
  readonly #extended: readonly ResourceDefinition[];
  readonly #extensions: readonly ContentExtension[];
  /** Made for the first unknown prompt. */
  #promptNames: NameIndex | undefined;
  /** All resources and templates, by their URI or template, in the order of their definition. */
  readonly #resources: ReadonlyMap<string, Runnable<ResourceDefinition>>;
  /** Resources and templates by source: first those of this server, then those of each remote server. */
  readonly #readers: readonly Reader[];
  readonly #listed: readonly ResourceListing[];
  /** `undefined` if no template has `.list()`; nothing has to run then. */
  readonly #list: ToolDefinition | undefined;

  constructor(resources: readonly ResourceDefinition[], prompts: readonly PromptDefinition[], run: RunDefinition) {
    this.#run = run;
    this.#extended = resources.filter(({ extension }) => extension !== undefined);
    this.#extensions = joinExtensions(this.#extended, () => true);
    this.#prompts = byKey(
      prompts.map((definition) => [definition.name, { definition, run: runnablePrompt(definition) }]),
      "prompts",
    );
    this.#resources = byKey(
      resources.map((definition) => [definition.uri, { definition, run: runnableResource(definition) }]),
      "resources",
    );
    this.#readers = byReader(this.#resources);
    const listed = resources.filter(({ isListed }) => isListed);
    const fixed = listed.filter(({ template }) => template === undefined);
    this.#promptList = new ListedContents(prompts, prompts.map(listPrompt));
    const templates = listed.filter(({ template }) => template !== undefined);
    this.#templateList = new ListedContents(templates, templates.map(listTemplate));
    const get: ContentMethod = { run: (call) => this.getPrompt(call.tool, call.args, call) };
    const list: ContentMethod = {
      path: "/prompts",
      list: (principal) => `"prompts":${this.#promptList.jsonFor(principal)}`,
    };
    this.hasPrompts = prompts.length > 0;
    this.methods = new Map(this.hasPrompts ? [["prompts/get", get], ["prompts/list", list]] : []);
    this.hasResources = resources.length > 0;
    this.canComplete = [...prompts, ...resources].some(({ completers }) => Object.keys(completers).length > 0);
    this.#listed = fixed.map(listResource);
    const isDynamic = resources.some((one) => (one.list ?? visibilityOf(one)) !== undefined);
    this.#list = isDynamic ? toRunDefinition("list:resources", (_, ctx) => listAll(resources, ctx)) : undefined;
  }

  extensionsFor(principal: Principal | undefined, session?: string): readonly ContentExtension[] {
    const isOpen = (definition: ResourceDefinition) => isOpenTo(definition, principal, session);
    return this.#extended.every(isOpen) ? this.#extensions : joinExtensions(this.#extended, isOpen);
  }

  promptsFor(principal: Principal | undefined, session?: string): readonly PromptListing[] {
    return this.#promptList.listFor(principal, session);
  }

  templatesFor(principal: Principal | undefined, session?: string): readonly ResourceTemplateListing[] {
    return this.#templateList.listFor(principal, session);
  }

  listResources(request: ContentCall): MaybeFuture<CallResultOf<readonly ResourceListing[]>> {
    if (this.#list === undefined) return { kind: "answer", value: this.#listed };
    return this.#runWithoutQuestions(this.#list, {}, request);
  }

  readResource(
    uri: string,
    request: ContentCall,
    sink?: Sink,
  ): MaybeFuture<CallResultOf<readonly ResourceContents[]>> {
    const found = this.#find(uri, request);
    if (found === undefined) return errorResult("resource_not_found", "Resource not found", { uri });
    const read: Read = { uri, variables: found.variables };
    const result = this.#runDefinition<readonly ResourceContents[]>(found.run, read, request, sink);
    return chain(result, (settled) => withUri(settled, uri));
  }

  getPrompt(
    name: string,
    args: unknown,
    request: ContentCall,
    sink?: Sink,
  ): MaybeFuture<CallResultOf<PromptContent>> {
    const found = usable(this.#prompts.get(name), request);
    return found === undefined
      ? this.#promptNotFound(name, request)
      : this.#runDefinition(found.run, args, request, sink);
  }

  complete(request: CompletionRequest): MaybeFuture<CallResultOf<Completion>> {
    const { of, argument, value, otherArguments = {} } = request;
    if ("prompt" in of) {
      const prompt = usable(this.#prompts.get(of.prompt), request);
      if (prompt === undefined) return this.#promptNotFound(of.prompt, request);
      return this.#complete(prompt.run, prompt.definition.completers, { argument, value, otherArguments }, request);
    }
    const resource = usable(this.#resources.get(of.resource), request);
    if (resource === undefined) return errorResult("resource_not_found", "Resource not found", { uri: of.resource });
    return this.#complete(resource.run, resource.definition.completers, { argument, value, otherArguments }, request);
  }

  #complete(
    { name, scopes, part }: ToolDefinition,
    completers: Completers,
    completion: Complete,
    request: ContentCall,
  ): MaybeFuture<CallResultOf<Completion>> {
    const { argument, value, otherArguments } = completion;
    const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined;
    if (completer === undefined) return { kind: "answer", value: NOTHING };
    const complete: ToolDefinition["handler"] = (_, ctx) => chain(completer(value, ctx, otherArguments), toCompletion);
    const definition = toRunDefinition(`complete:${name}`, complete, { scopes, part });
    return this.#runWithoutQuestions(definition, completion, request);
  }

  #find(
    uri: string,
    request: ContentCall,
  ): (Runnable<ResourceDefinition> & { readonly variables: UriVariables }) | undefined {
    for (const { fixed, templates } of this.#readers) {
      const one = fixed.get(uri);
      if (one !== undefined) return usable(one, request) && { ...one, variables: {} };
      for (const one of templates) {
        if (usable(one, request) === undefined) continue;
        const variables = one.definition.template?.match(uri);
        if (variables !== undefined) return { ...one, variables };
      }
    }
    return undefined;
  }

  /** Names only prompts that the caller may see. */
  #promptNotFound(requested: string, request: ContentCall): ErrorResult {
    const isSeen = (name: string) => usable(this.#prompts.get(name), request) !== undefined;
    const names: string[] = [];
    for (const name of this.#prompts.keys()) {
      if (names.length === MAX_LISTED) break;
      if (isSeen(name)) names.push(name);
    }
    const index = this.#promptNames ??= new NameIndex([...this.#prompts.keys()]);
    // None is looked for who sees nothing.
    const closest = (word: string) => names.length === 0 ? undefined : closestMatch(word, index.find(word, isSeen));
    const details = describeUnknown("prompt", requested, names, closest);
    return errorResult("prompt_not_found", "Prompt not found", details);
  }

  /** Runs a definition that cannot ask questions. */
  #runWithoutQuestions<Value>(
    definition: ToolDefinition,
    args: unknown,
    request: ContentCall,
  ): MaybeFuture<CallResultOf<Value>> {
    const result = this.#runDefinition<Value>(definition, args, request);
    return chain(result, assertNoQuestions);
  }

  /** The one cast: a definition's handler determines the type of its answer. */
  #runDefinition<Value>(
    definition: ToolDefinition,
    args: unknown,
    { peer, meta }: ContentCall,
    sink?: Sink,
  ): MaybeFuture<CallResultOf<Value>> {
    const call: Call = { tool: definition.name, args, meta: meta && supportedMeta(meta), peer };
    return this.#run(definition, call, sink) as MaybeFuture<CallResultOf<Value>>;
  }
}

/** The error of a reader for a resource that does not exist names its URI, whatever details the reader gave. */
function withUri<Value>(result: CallResultOf<Value>, uri: string): CallResultOf<Value> {
  if (result.kind !== "error" || result.code !== "resource_not_found") return result;
  const { data } = result;
  const details = isJsonObject(data) ? data : data === undefined ? {} : { details: data };
  return { ...result, data: { uri, ...details } };
}

/** A prompt or resource, unless the caller may not use the part that it belongs to: the request is then answered as one of an unknown one. */
function usable<One extends Runnable<GuardedContent>>(
  one: One | undefined,
  { peer }: ContentCall,
): One | undefined {
  return one !== undefined && isOpenTo(one.definition, peer.principal, peer.session) ? one : undefined;
}

function runnablePrompt(definition: PromptDefinition): ToolDefinition {
  return toRunDefinition(
    `prompt:${definition.name}`,
    (args, ctx) => chain(definition.handler(args, ctx), (answer) => toPromptContent(definition, answer)),
    definition,
  );
}

function runnableResource(definition: ResourceDefinition): ToolDefinition {
  return toRunDefinition(`resource:${definition.uri}`, (args, ctx) => {
    const { uri, variables } = args as Read;
    return chain(
      definition.reader(variables, ctx, uri),
      (answer) => toResourceContentsList(definition, uri, answer),
    );
  }, definition);
}

async function listAll(resources: readonly ResourceDefinition[], ctx: Parameters<ToolDefinition["handler"]>[1]) {
  const lists = await Promise.all(resources.map(async (definition): Promise<readonly ResourceListing[]> => {
    if (!definition.isListed || !isOpenTo(definition, ctx.principal, (ctx as MiddlewareCtx).call.peer.session)) {
      return [];
    }
    if (definition.template === undefined) return [listResource(definition)];
    // Listing a template's resources needs the same scopes as reading them.
    if (authorizationError(definition, ctx.principal) !== undefined) return [];
    const listed = await definition.list?.(ctx) ?? [];
    return listed.map((one) => listOne(definition, one));
  }));
  return lists.flat();
}

/** Describes a listed resource of a template. */
function listOne(definition: ResourceDefinition, { variables, meta, ...own }: ListedResource): ResourceListing {
  const uri = definition.template?.expand(variables) ?? definition.uri;
  if (definition.template?.match(uri) === undefined) {
    throw new TypeError(
      `Cannot list ${
        JSON.stringify(uri)
      }: the template "${definition.uri}" does not match it; give each variable a value that is not empty`,
    );
  }
  const { description, icons, mimeType, annotations } = listTemplate(definition);
  return {
    uri,
    name: uri,
    ...omitUndefined({ description, icons, mimeType, annotations }),
    ...own,
    ...omitUndefined({ _meta: meta }),
  };
}

/** Keeps the first of the resources that have the same URI and key, for the callers who may use any of them. */
function distinct(resources: readonly ResourceDefinition[]): readonly ResourceDefinition[] {
  const shared = Map.groupBy(
    resources,
    ({ uri, extension }) => extension?.key === undefined ? Symbol() : JSON.stringify([uri, extension.key]),
  );
  return [...shared.values()].map((all) => {
    const [first] = all as [ResourceDefinition];
    if (all.every((one) => visibilityOf(one) === undefined)) return first;
    return { ...first, isVisible: (principal, { session }) => all.some((one) => isOpenTo(one, principal, session)) };
  });
}

/** Creates the extensions that resources bring, from the data of the resources that are open. One without data is empty. */
function joinExtensions(
  resources: readonly ResourceDefinition[],
  isOpen: (definition: ResourceDefinition) => boolean,
): readonly ContentExtension[] {
  const groups = Map.groupBy(resources, ({ extension }) => extension?.join);
  return [...groups].flatMap(([join, definitions]) =>
    join === undefined ? [] : [join(definitions.filter(isOpen).map(({ extension }) => extension?.data))]
  );
}

function assertNoQuestions<Value>(result: CallResultOf<Value>): CallResultOf<Value> {
  const isOver = result.kind === "answer" || result.kind === "failure" || result.kind === "error";
  return isOver ? result : errorResult("internal", "Functions that list or complete cannot ask the caller");
}

/** Prompts and resources have no jobs, so members that would create one are removed. */
function supportedMeta({ deadlineMs, continuation, responses, context }: NonNullable<ContentCall["meta"]>) {
  return { deadlineMs, continuation, responses, context };
}

function byKey<Definition extends { readonly part: PartDefinition | undefined }>(
  entries: readonly (readonly [string, Runnable<Definition>])[],
  what: string,
): ReadonlyMap<string, Runnable<Definition>> {
  const found = new Map<string, Runnable<Definition>>();
  for (const [key, one] of entries) {
    const other = found.get(key)?.definition.part;
    const { part } = one.definition;
    if (found.has(key)) {
      const places = part === other ? "" : `, of ${originOf(other)} and of ${originOf(part)}`;
      throw new TypeError(`Cannot create server: two ${what} are "${key}"${places}; rename one`);
    }
    found.set(key, one);
  }
  return found;
}

/** Groups by source. A remote server's template must not match a URI of this server or of an earlier remote server. */
function byReader(
  all: ReadonlyMap<string, Runnable<ResourceDefinition>>,
): Reader[] {
  const groups = Map.groupBy(all, ([, { definition }]) => definition.remote);
  const own = groups.get(undefined) ?? [];
  groups.delete(undefined);
  const isFixed = ([, { definition }]: readonly [string, Runnable<ResourceDefinition>]) =>
    definition.template === undefined;
  return [own, ...groups.values()].map((entries) => ({
    fixed: new Map(entries.filter(isFixed)),
    templates: entries.filter((entry) => !isFixed(entry)).map(([, one]) => one),
  }));
}

function assertFinished<Definition>(definition: Definition | undefined, what: string, end: string): Definition {
  if (definition !== undefined) return definition;
  throw new TypeError(`Cannot create server: a ${what} is not finished; end its definition with ${end}`);
}
