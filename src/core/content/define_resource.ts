/** `defineResource`: fluent, immutable definition of a resource. */
import { checkOptions, OBJECT, required } from "../../internal/options.ts";
import { assertAnnotations, type ContentAnnotations, type Icon } from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { addScopes } from "../tool/access.ts";
import { checkDescription } from "./definition_rules.ts";
import { assertCompleters, type Completers } from "./completion.ts";
import { createContentCatalog } from "./create_content_catalog.ts";
import type { ListedResource, ResourceAnswer, ResourceDefinition } from "./resource.ts";
import {
  namesScheme,
  UriTemplate,
  type UriVariables,
  type VariableNames,
  type VariablesOf,
} from "./uri_template/uri_template.ts";
import type { ContentCtx, ListingCtx } from "../handler/context.ts";
import type { Resource } from "./content_catalog.ts";

/**
 * An unfinished resource. Each step returns a new builder, so that builders can be shared and extended separately.
 *
 * @typeParam Uri URI or template, a literal.
 */
export interface ResourceBuilder<Uri extends string> {
  /** Sets the name for programs. Default: the URI or template. */
  name(name: string): ResourceBuilder<Uri>;
  /** Sets the title for people. */
  title(title: string): ResourceBuilder<Uri>;
  /** Sets the description for people and models. */
  describe(description: string): ResourceBuilder<Uri>;
  /** Sets the default media type of the contents, such as `text/markdown`. */
  mimeType(mimeType: string): ResourceBuilder<Uri>;
  /** Sets the icons. */
  icons(icons: readonly Icon[]): ResourceBuilder<Uri>;
  /**
   * Adds hints for its use.
   *
   * @throws {TypeError} If they are invalid.
   */
  annotate(annotations: ContentAnnotations): ResourceBuilder<Uri>;
  /**
   * Sets the size in bytes, before any encoding. Templates have no size; the resources they list may.
   *
   * @throws {TypeError} If it is a template.
   * @throws {RangeError} If it is not a whole number of at least 0.
   */
  size(bytes: number): ResourceBuilder<Uri>;
  /** Adds members to the resource's `_meta` in listings. */
  meta(members: Readonly<Record<string, unknown>>): ResourceBuilder<Uri>;
  /**
   * Restricts the resource to callers with all of these scopes. It is still listed for others, but what a template
   * lists is not.
   *
   * @throws {TypeError} If there are no scopes, or one is empty or contains spaces.
   */
  scopes(...scopes: readonly string[]): ResourceBuilder<Uri>;
  /**
   * Adds completers of variables: `{ id: (value) => ids.filter((id) => id.startsWith(value)) }`. At most 100 values are
   * sent.
   *
   * @throws {TypeError} If there is no such variable.
   */
  complete(completers: Completers<VariableNames<Uri>>): ResourceBuilder<Uri>;
  /**
   * Lists resources of the template by their variables. Without it, only the template is listed.
   *
   * @throws {TypeError} If it is not a template.
   */
  list(list: (ctx: ListingCtx) => MaybePromise<readonly ListedResource<VariablesOf<Uri>>[]>): ResourceBuilder<Uri>;
  /**
   * Ends the definition.
   *
   * @param reader Receives the template's variables, decoded but not validated. Returns the contents, or `undefined` if
   * there is no such resource.
   */
  read(
    reader: (variables: VariablesOf<Uri>, ctx: ContentCtx, uri: string) => MaybePromise<ResourceAnswer>,
  ): Resource<Uri>;
}

/**
 * Starts the definition of a resource or a resource template.
 *
 * @example One resource, and a template of them
 * ```ts
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { defineResource } from "jsr:@toolwire/toolwire/mcp";
 *
 * const readme = defineResource("docs://readme").mimeType("text/markdown").read(() => "# Hello");
 *
 * const books = new Map([["1", "Moby Dick"]]);
 * const book = defineResource("books://{id}")
 *   .title("Books")
 *   .complete({ id: (value) => [...books.keys()].filter((id) => id.startsWith(value)) })
 *   .list(() => [...books].map(([id, title]) => ({ variables: { id }, title })))
 *   .read(({ id }) => books.get(id)); // undefined: there is no such resource
 *
 * createServer({ tools: [], resources: [readme, book] });
 * ```
 * @typeParam Uri URI or template, a literal.
 * @param uri A URI with its scheme, or a URI template of RFC 6570, levels 1 to 3: `{id}` for one segment, `{+path}`
 * with slashes, `{?q,limit}` for a query.
 * @throws {TypeError} If it is neither, or the end of a variable's value cannot be recognized in URIs of the template.
 */
export function defineResource<const Uri extends string>(uri: Uri): ResourceBuilder<Uri> {
  if (typeof uri !== "string" || !namesScheme(uri)) {
    throw new TypeError(
      `Cannot define resource ${
        JSON.stringify(uri)
      }: a URI has a scheme and no spaces, such as docs://readme or docs://{id}`,
    );
  }
  const template = /[{}]/.test(uri) ? new UriTemplate(uri) : undefined;
  // The one cast: types follow the template, the value does not depend on it.
  return new Builder({ ...BLANK, uri, template, name: uri }) as unknown as ResourceBuilder<Uri>;
}

/** A resource whose definition is not finished. */
type Draft = Omit<ResourceDefinition, "reader">;

const BLANK: Omit<Draft, "uri" | "template" | "name"> = {
  title: undefined,
  description: undefined,
  icons: undefined,
  mimeType: undefined,
  annotations: undefined,
  size: undefined,
  meta: undefined,
  completers: {},
  scopes: [],
  part: undefined,
  remote: undefined,
  isListed: true,
  extension: undefined,
  list: undefined,
};

/** Sets one member of a resource with each method, in a copy. */
class Builder {
  readonly #draft: Draft;
  /** Lets `createServer` report an unfinished resource. */
  readonly "~catalog": typeof createContentCatalog = createContentCatalog;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  name(name: string): Builder {
    if (typeof name !== "string" || name === "") {
      throw new TypeError(`Cannot name ${this.#label}: a name is text, and not empty`);
    }
    return this.#with({ name });
  }

  title(title: string): Builder {
    checkDescription(this.#label, { title });
    return this.#with({ title });
  }

  describe(description: string): Builder {
    checkDescription(this.#label, { description });
    return this.#with({ description });
  }

  mimeType(mimeType: string): Builder {
    checkDescription(this.#label, { mimeType });
    return this.#with({ mimeType });
  }

  icons(icons: readonly Icon[]): Builder {
    checkDescription(this.#label, { icons });
    return this.#with({ icons });
  }

  annotate(annotations: ContentAnnotations): Builder {
    assertAnnotations(annotations, this.#label);
    return this.#with({ annotations: { ...this.#draft.annotations, ...annotations } });
  }

  size(size: number): Builder {
    if (this.#draft.template !== undefined) {
      throw new TypeError(
        `Cannot set the size of ${this.#label}: it is a template; set sizes in the return value of .list()`,
      );
    }
    if (!(Number.isInteger(size) && size >= 0)) {
      throw new RangeError(`Cannot set the size of ${this.#label}: it is a whole number of bytes, not ${size}`);
    }
    return this.#with({ size });
  }

  meta(members: Readonly<Record<string, unknown>>): Builder {
    checkOptions(`define ${this.#label}`, { meta: members }, { meta: required(OBJECT) });
    return this.#with({ meta: { ...this.#draft.meta, ...members } });
  }

  scopes(...scopes: readonly string[]): Builder {
    return this.#with({ scopes: addScopes(this.#draft.scopes, scopes, this.#label) });
  }

  complete(completers: Completers): Builder {
    assertCompleters(completers, this.#draft.template?.variables ?? [], this.#label);
    return this.#with({ completers: { ...this.#draft.completers, ...completers } });
  }

  list(list: NonNullable<ResourceDefinition["list"]>): Builder {
    if (this.#draft.template === undefined) {
      throw new TypeError(`Cannot list ${this.#label}: it is one resource, and listed as such; leave .list() out`);
    }
    if (typeof list !== "function") {
      throw new TypeError(`Cannot list ${this.#label}: pass a function () => [{ variables: { … } }]`);
    }
    return this.#with({ list });
  }

  read(reader: (variables: UriVariables, ctx: ContentCtx, uri: string) => MaybePromise<ResourceAnswer>): Resource {
    if (typeof reader !== "function") throw new TypeError(`Cannot finish ${this.#label}: .read() takes a function`);
    return { uri: this.#draft.uri, "~resource": { ...this.#draft, reader }, "~catalog": createContentCatalog };
  }

  get #label(): string {
    return `resource "${this.#draft.uri}"`;
  }

  #with(change: Partial<Draft>): Builder {
    return new Builder({ ...this.#draft, ...change });
  }
}
