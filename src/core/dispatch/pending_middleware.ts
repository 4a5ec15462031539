import type { CallResult } from "../call/outcome.ts";

/** Middleware functions of one run that have returned a promise. If one of them asks a question, {@link leave} gives it the result of the run. */
export class PendingMiddleware {
  #depth = 0;
  readonly #resolvers = new Map<number, (result: CallResult) => void>();

  /** Depth of the middleware that is called next: that of the server, of a group, of the tool. */
  enter(): number {
    return this.#depth++;
  }

  /** The result of middleware, or that of the run if it stops in this middleware before. The middleware around it gets either. */
  await<Result>(
    depth: number,
    running: Promise<Result>,
    toResult: (result: Result) => CallResult | PromiseLike<CallResult>,
    toError: (thrown: unknown) => CallResult | PromiseLike<CallResult>,
  ): Promise<CallResult> {
    return new Promise((resolve) => {
      this.#resolvers.set(depth, resolve);
      const settle = (result: () => CallResult | PromiseLike<CallResult>) => {
        this.#resolvers.delete(depth);
        try {
          resolve(result());
        } catch (thrown) {
          resolve(toError(thrown));
        }
      };
      running.then((result) => settle(() => toResult(result)), (thrown) => settle(() => toError(thrown)));
    });
  }

  /** Gives the innermost middleware this result. */
  leave(result: CallResult): void {
    this.#resolvers.get(Math.max(...this.#resolvers.keys()))?.(result);
  }
}
