/**
 * Runs one program in one instance of QuickJS. The function has no reference to anything outside of itself, since a thread evaluates its
 * text: what it needs is passed to it.
 */
import type { QuickJS, QuickJSOptions } from "quickjs-wasi";
import type { GuestProgram, GuestResult, GuestTurn } from "../executor.ts";

/** A program in QuickJS. Each method runs it until it waits or has ended. */
export interface QuickJsGuest {
  start(): GuestTurn;
  resume(result: GuestResult): GuestTurn;
  close(): void;
}

/** What an instance is made of. */
export interface QuickJsParts {
  /** The module `quickjs-wasi`. */
  readonly library: {
    readonly QuickJS: { create(options: QuickJSOptions): Promise<QuickJS> };
    readonly Intrinsics: Readonly<Record<string, number>>;
  };
  readonly wasm: WebAssembly.Module;
  /** Source of the prelude. */
  readonly prelude: string;
  readonly program: GuestProgram;
  /**
   * Interrupts for each millisecond of computing, where the clock does not move while a program runs; `undefined` elsewhere. QuickJS asks
   * between 0.2 and 12 times a millisecond.
   */
  readonly interruptsPerMs?: number | undefined;
}

/** Creates the instance of a program. */
// oxlint-disable-next-line max-lines-per-function -- a thread evaluates the text of this function, so that all it needs is within
export async function createGuest(
  { library, wasm, prelude, program, interruptsPerMs }: QuickJsParts,
): Promise<QuickJsGuest> {
  const { Intrinsics } = library;
  const { limits, source } = program;
  const STACK_BYTES = 262_144;
  const ARGUMENT_CHARS = 1_048_576;
  type Handle = ReturnType<QuickJS["newString"]>;

  let calls: GuestTurn["calls"][number][] = [];
  let logs: string[] = [];
  let end: GuestTurn["end"];
  let usedMs = 0;
  let interrupts = 0;
  let endsAtMs = Infinity;
  let isOutOfTime = false;
  /** Promises that were rejected, and that nothing has handled, by their identity. */
  const unhandled = new Map<number, Handle>();

  const fail = (kind: "syntax" | "runtime" | "limit" | "open", name: string, message: string, stack = "") => {
    end ??= { error: { kind, name, message, stack } };
  };
  const vm = await library.QuickJS.create({
    wasm,
    memoryLimit: limits.memoryMb * 1_048_576,
    maxStackSize: STACK_BYTES,
    intrinsics: Intrinsics["ALL"]! & ~Intrinsics["PERFORMANCE"]! & ~Intrinsics["WEAK_REF"]!,
    timezoneOffset: 0,
    interruptHandler() {
      isOutOfTime ||= interruptsPerMs === undefined
        ? performance.now() > endsAtMs
        : ++interrupts > limits.cpuMs * interruptsPerMs;
      return isOutOfTime;
    },
    onUnhandledRejection(promise, reason, isHandled) {
      const { identity } = promise;
      unhandled.get(identity)?.dispose();
      if (isHandled) unhandled.delete(identity);
      else unhandled.set(identity, reason.dup());
    },
  });

  const textOf = (handle: Handle | undefined) => handle?.isString ? handle.toString() : "";
  /** Reads what the guest describes of an error. It is text, parsed here. */
  const readThrown = (json: string) => {
    const { name, message, stack, call, isError } = JSON.parse(json) as Record<string, unknown>;
    const isLimit = name === "InternalError" && message === "out of memory";
    end ??= {
      error: {
        kind: isLimit ? "limit" : "runtime",
        name: isError === true ? String(name) : "Error",
        message: isLimit ? `The program needs more memory than ${limits.memoryMb} MiB` : String(message),
        stack: String(stack),
        calls: typeof call === "number" ? [call] : undefined,
      },
    };
  };
  const post = (kind: string, id: number, name: string, text: string): void => {
    if (kind === "log") logs.push(text);
    else if (kind === "value") end ??= { json: text };
    else if (kind === "thrown") readThrown(text);
    else if (kind === "limit") fail("limit", "RangeError", `The program makes more than ${limits.calls} calls`);
    else if (kind === "open") {
      const message = "The program ended before calls that it began";
      end ??= {
        error: { kind: "open", name: "Error", message, stack: "", calls: text.split(",").map(Number) },
      };
    } else calls.push({ id, kind: kind as "call" | "more" | "sleep", tool: name, input: text });
  };

  /** Runs something of the guest within what is left of its time. */
  const within = (work: () => void): GuestTurn => {
    const beganMs = performance.now();
    endsAtMs = beganMs + limits.cpuMs - usedMs;
    try {
      work();
      vm.executePendingJobs();
    } catch (thrown) {
      const { name, message, stack = "" } = thrown as Error;
      const isMemory = message.includes("out of memory");
      if (isMemory) fail("limit", "InternalError", `The program needs more memory than ${limits.memoryMb} MiB`, stack);
      else if (!isOutOfTime) fail(name === "SyntaxError" ? "syntax" : "runtime", name, message, stack);
    }
    usedMs += performance.now() - beganMs;
    if (isOutOfTime) {
      end = undefined;
      fail("limit", "RangeError", `The program computes for more than ${limits.cpuMs} ms`);
    }
    const turn = { calls, logs, ...(end !== undefined && { end }) };
    calls = [];
    logs = [];
    return turn;
  };

  /** A source that ends the function around it could be another program than it seems. It does not fit into two kinds of functions. */
  const compiles = (text: string) => {
    try {
      vm.compile(text, "program.js");
      return true;
    } catch {
      return false;
    }
  };
  const call = (member: string, ...args: Handle[]): Handle =>
    vm.callFunction(entry!.getProp(member), vm.undefined, ...args);
  let entry: Handle | undefined;
  /** A failure that nothing handles would be lost with the end of the program. */
  const withUnhandled = (turn: GuestTurn): GuestTurn => {
    if (turn.end === undefined || "error" in turn.end || unhandled.size === 0) return turn;
    const [reason] = unhandled.values();
    end = undefined;
    const { end: failed } = within(() => readThrown(textOf(call("describe", reason!))));
    return { ...turn, end: failed };
  };

  return {
    start() {
      const turn = within(() => {
        const settings = { ...limits, nowMs: program.nowMs, seed: program.seed, argumentChars: ARGUMENT_CHARS };
        const posted = vm.newFunction("post", (kind, id, name, text) => {
          post(textOf(kind), id?.isNumber ? id.toNumber() : 0, textOf(name), textOf(text));
          return vm.undefined;
        });
        const given = vm.evalCode(`(${JSON.stringify(settings)})`, "settings.js");
        entry = vm.callFunction(vm.evalCode(prelude, "prelude.js"), vm.undefined, posted, given);
        // On the first line, so that lines of errors are those of the source.
        const run = vm.evalCode(`(async function (tools, sleep, console) {${source}\n})`, "program.js");
        if (!run.isFunction || !compiles(`{async function program() {${source}\n}}`)) {
          return fail("syntax", "SyntaxError", "The program ends the function around it: it has a } too many");
        }
        call("run", run);
      });
      return withUnhandled(turn);
    },
    resume({ id, isError, json }) {
      const turn = within(() =>
        void call("deliver", vm.newNumber(id), isError ? vm.true : vm.false, vm.newString(json))
      );
      return withUnhandled(turn);
    },
    close() {
      for (const reason of unhandled.values()) reason.dispose();
      unhandled.clear();
      vm.dispose();
    },
  };
}
