import type { Middleware } from "./context.ts";

/**
 * Holds middleware to being functions: one that was imported wrongly must not silently disappear.
 *
 * @throws {TypeError} If one is not.
 */
export function assertMiddleware(middleware: readonly Middleware[], where: string): void {
  if (Array.isArray(middleware) && middleware.every((one) => typeof one === "function")) return;
  throw new TypeError(`Cannot add middleware to ${where}: each has to be a function (ctx, next) => next()`);
}
