/** Resources that a server was given and closes, such as stores and engines. Several servers of a process may share one. */
import type { MaybePromise } from "./async.ts";

/** A resource; it has `close` if it keeps something open, such as a connection. */
export interface Closable {
  /** Closes what the resource keeps open. */
  close?(): MaybePromise<void>;
}

/** Number of servers that use a resource. */
const users = new WeakMap<Closable, number>();

/** The resources that one server uses, in the order of their first use. */
export class UsedResources {
  readonly #used = new Map<Closable, string>();
  #released: readonly (readonly [resource: Closable, name: string])[] | undefined;

  /**
   * Adds a resource, which this server closes unless another one still uses it. A resource without `close` is ignored.
   *
   * @param name Name for messages: `The engine`.
   */
  add(resource: Closable, name: string): void {
    if (resource.close === undefined || this.#used.has(resource)) return;
    this.#used.set(resource, name);
    users.set(resource, (users.get(resource) ?? 0) + 1);
  }

  /**
   * Ends the use of all resources. Returns those that no other server uses, which are to be closed, with their names; when called
   * again, the same ones.
   */
  release(): readonly (readonly [resource: Closable, name: string])[] {
    return this.#released ??= [...this.#used].filter(([resource]) => {
      const left = (users.get(resource) ?? 1) - 1;
      users.set(resource, left);
      return left === 0;
    });
  }
}
