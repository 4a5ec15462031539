/** The modules that code can import, by name: entries of the package, and stand-ins for `serve()` and `node:assert/strict`. */
import { entries } from "virtual:entries";
import { inspect } from "./inspect.ts";

/** A server of any tools. */
export interface AnyServer {
  fetch(request: Request): Promise<Response> | Response;
  close(): Promise<void>;
}

/** Address of the server of the code, in its sandbox. */
const ADDRESS = "http://localhost:8000";

type Exports = Readonly<Record<string, unknown>>;
type CreateServer = (
  options: { readonly wires?: readonly unknown[] },
) => AnyServer;

/** What the sandbox does with servers of the code. */
export interface Hooks {
  /** Makes the wire of the console. */
  readonly console: () => unknown;
  readonly created: (server: AnyServer) => void;
}

/** All modules. The first server that the code creates gets the console. */
export function defineShims(
  { console, created }: Hooks,
): Readonly<Record<string, Exports>> {
  let first: AnyServer | undefined;
  const hook = (exports: Exports, defaults: readonly unknown[]): Exports => ({
    ...exports,
    createServer: (options: { readonly wires?: readonly unknown[] }) => {
      const create = exports["createServer"] as CreateServer;
      if (first !== undefined) return create(options);
      first = create({
        ...options,
        wires: [...options.wires ?? defaults, console()],
      });
      created(first);
      return first;
    },
  });
  const wire = (module: string, name: string) => (entries[module]?.[name] as () => unknown)();
  const defaults = [wire("toolwire", "mcp"), wire("toolwire", "mcpLite")];
  return {
    ...entries,
    "toolwire": hook(entries["toolwire"] ?? {}, defaults),
    "toolwire/core": hook(entries["toolwire/core"] ?? {}, defaults.slice(1)),
    // Closing the listener leaves the server, which the console shows.
    "toolwire/serve": {
      serve: () =>
        Promise.resolve({
          url: ADDRESS,
          port: 8000,
          close: () => Promise.resolve(),
          closed: Promise.resolve(),
        }),
    },
    "node:assert/strict": ASSERT,
  };
}

function fail(message: unknown, fallback: string): never {
  throw Object.assign(
    new Error(typeof message === "string" ? message : fallback),
    { name: "AssertionError" },
  );
}

function strictEqual(
  actual: unknown,
  expected: unknown,
  message?: unknown,
): void {
  if (!Object.is(actual, expected)) {
    fail(message, `Expected ${inspect(expected)}, got ${inspect(actual)}`);
  }
}

function deepStrictEqual(
  actual: unknown,
  expected: unknown,
  message?: unknown,
): void {
  const [given, wanted] = [
    inspect(actual, Infinity),
    inspect(expected, Infinity),
  ];
  if (given !== wanted) fail(message, `Expected ${wanted}, got ${given}`);
}

function ok(value: unknown, message?: unknown): void {
  if (!value) fail(message, `${inspect(value)} is not true`);
}

function match(text: string, pattern: RegExp, message?: unknown): void {
  if (!pattern.test(text)) {
    fail(message, `${inspect(text)} does not match ${pattern}`);
  }
}

/** Whether an error is as expected: an instance, a pattern of its text, a test of it, or members. */
function checkError(error: unknown, expected: unknown): void {
  if (expected === undefined) return;
  if (expected instanceof RegExp) return match(String(error), expected);
  if (typeof expected === "function") {
    return ok(
      expected.prototype !== undefined && error instanceof expected ||
        expected(error) === true,
    );
  }
  for (const [name, value] of Object.entries(expected as object)) {
    const actual = (error as Exports)[name];
    if (value instanceof RegExp) match(String(actual), value);
    else deepStrictEqual(actual, value);
  }
}

async function rejects(
  work: Promise<unknown> | (() => Promise<unknown>),
  expected?: unknown,
): Promise<void> {
  const outcome = await (typeof work === "function" ? work() : work).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome === undefined) fail(undefined, "Expected a rejection");
  checkError(outcome.error, expected);
}

function throws(run: () => unknown, expected?: unknown): void {
  try {
    run();
  } catch (error) {
    return checkError(error, expected);
  }
  fail(undefined, "Expected an exception");
}

const ASSERT: Exports = {
  ok,
  equal: strictEqual,
  strictEqual,
  deepEqual: deepStrictEqual,
  deepStrictEqual,
  match,
  rejects,
  throws,
};
