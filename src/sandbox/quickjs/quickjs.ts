/** `quickjs`: programs of models in QuickJS, compiled to WebAssembly, an instance each. */
import { checkOptions, oneOf, type OptionRules, rule } from "../../internal/options.ts";
import { mistake } from "../../core/errors/mistake.ts";
import type { Executor, Guest, GuestProgram } from "../executor.ts";
import { PRELUDE } from "../prelude.ts";
import { createGuest } from "./guest.ts";

/** Options of {@link quickjs}. */
export interface QuickJsOptions {
  /**
   * `"thread"`: each program has a thread, which is ended if it computes for too long, so that other requests are answered meanwhile;
   * `"inline"`: in the thread of the server, which is quicker and needs no threads. Default: `"thread"`, on Workers `"inline"`.
   */
  readonly isolation?: "thread" | "inline" | undefined;
  /**
   * The compiled module `quickjs-wasi/quickjs.wasm`, a `WebAssembly.Module`. Workers need it, since they compile nothing while they run:
   * import it there. Default: the file of the installed package.
   */
  readonly wasm?: object | undefined;
}

const RULES: OptionRules<QuickJsOptions> = {
  isolation: oneOf("thread", "inline"),
  wasm: rule(
    'a compiled module: import wasm from "quickjs-wasi/quickjs.wasm"',
    (value) => value instanceof WebAssembly.Module,
  ),
};

/** On Workers the clock does not move while a program computes, so its interrupts are counted. */
const INTERRUPTS_PER_MS = 2;

/**
 * Runs programs in QuickJS, compiled to WebAssembly: each in a fresh instance, which reaches nothing of the process but what it is
 * given. Needs the package `quickjs-wasi`, which is loaded with the first program.
 *
 * It protects against what a model writes for a known caller. For code of hostile tenants use an executor with a process.
 *
 * @example On Workers
 * ```js
 * import wasm from "quickjs-wasi/quickjs.wasm";
 * import { codeMode, quickjs } from "jsr:@toolwire/toolwire/code";
 *
 * const discovery = codeMode({ executor: quickjs({ wasm }) });
 * ```
 * @throws {TypeError} If an option is unknown or invalid.
 */
export function quickjs(options: QuickJsOptions = {}): Executor {
  checkOptions("use QuickJS", options, RULES);
  const isWorkers = globalThis.navigator?.userAgent === "Cloudflare-Workers";
  const { isolation = isWorkers ? "inline" : "thread", wasm } = options;
  const loaded = new QuickJsLoader(wasm as WebAssembly.Module | undefined, isWorkers);
  return {
    name: "quickjs",
    async create(program) {
      if (isolation === "thread") {
        const { createThread } = await import("./runtime/thread.ts");
        return await createThread(program, await loaded.module());
      }
      return await createInline(program, loaded, isWorkers ? INTERRUPTS_PER_MS : undefined);
    },
  };
}

async function createInline(
  program: GuestProgram,
  loaded: QuickJsLoader,
  interruptsPerMs: number | undefined,
): Promise<Guest> {
  const [library, wasm] = await Promise.all([loadLibrary(), loaded.module()]);
  const guest = await createGuest({ library, wasm, prelude: PRELUDE, program, interruptsPerMs });
  let isClosed = false;
  return {
    start: () => Promise.resolve(guest.start()),
    resume: (result) => Promise.resolve(guest.resume(result)),
    close() {
      if (!isClosed) guest.close();
      isClosed = true;
    },
  };
}

/** Loads the compiled module once. */
class QuickJsLoader {
  readonly #given: WebAssembly.Module | undefined;
  readonly #isWorkers: boolean;
  #module: Promise<WebAssembly.Module> | undefined;

  constructor(given: WebAssembly.Module | undefined, isWorkers: boolean) {
    this.#given = given;
    this.#isWorkers = isWorkers;
  }

  module(): Promise<WebAssembly.Module> {
    return this.#module ??= this.#load();
  }

  async #load(): Promise<WebAssembly.Module> {
    if (this.#given !== undefined) return this.#given;
    if (this.#isWorkers) {
      throw mistake(
        new TypeError(
          'Cannot run programs: Workers compile no WebAssembly while they run. Write: import wasm from "quickjs-wasi/quickjs.wasm", and pass quickjs({ wasm })',
        ),
      );
    }
    const { readModule } = await import("./runtime/read_module.ts");
    try {
      return await readModule();
    } catch (cause) {
      throw missingPackage(cause);
    }
  }
}

async function loadLibrary(): Promise<typeof import("quickjs-wasi")> {
  try {
    return await import("quickjs-wasi");
  } catch (cause) {
    throw missingPackage(cause);
  }
}

/** The error for a server without the package. */
function missingPackage(cause: unknown): TypeError {
  const message = "Cannot run programs: install the package of the sandbox, npm install quickjs-wasi";
  return mistake(new TypeError(message, { cause }));
}
