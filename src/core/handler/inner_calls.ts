import type { Progress } from "../call/outcome.ts";

/** A tool as `ctx.call` takes it: the value that `defineTool` has made. */
export interface CallableTool<Input = unknown, Output = unknown> {
  /** Name of the tool. */
  readonly name: string;
  /** Types only; never present at run time. */
  readonly "~types"?: { readonly input: Input; readonly output: Output } | undefined;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~definition": object;
}

/** Options of `ctx.call`. */
export interface InnerCallOptions {
  /**
   * Name of the call, unique among the calls of a run. Default: the tool and a digest of the arguments, so that only calls of one tool with
   * the same arguments need keys.
   */
  readonly key?: string | undefined;
  /** Receives the progress of the called tool, such as `({ done, total }) => ctx.progress(done, total)`. Default: it is dropped. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Whether an error that may pass, such as `unavailable`, is kept as any other result. Default: the next run makes the call again.
   *
   * @internal
   */
  readonly "~keepsErrors"?: boolean | undefined;
}

/** Arguments of `ctx.call` after the tool: a tool whose arguments are all optional needs none. */
export type InnerCallRest<Input> = Record<never, never> extends Input ? [input?: Input, options?: InnerCallOptions]
  : [input: Input, options?: InnerCallOptions];

/** Type of `ctx.call`. */
export interface InnerCallFunction {
  /**
   * Calls another tool of the server.
   *
   * @param tool The value that `defineTool` has made.
   * @param rest Arguments, and options.
   * @returns The answer.
   * @throws {Failure | ToolError} The failure of the tool, or the error of the call.
   * @throws {TypeError} If the server does not have the tool, or the calls are a circle.
   */
  <Input, Output>(tool: CallableTool<Input, Output>, ...rest: InnerCallRest<Input>): Promise<Output>;
}

/**
 * Options of `ctx.map`.
 *
 * @typeParam Item Type of an item.
 */
export interface MapOptions<Item = unknown> {
  /** Largest number of items whose work runs at once. Default: 10. */
  readonly concurrency?: number | undefined;
  /**
   * Key of an item, unique in the list, by which later runs find its result, wherever it is in the list then. Default: a digest of its JSON.
   */
  readonly key?: ((item: Item) => string) | undefined;
}
