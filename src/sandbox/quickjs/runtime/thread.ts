/** Programs in threads: one that does not return in time is ended with its thread. */
import { Worker } from "node:worker_threads";
import type { Guest, GuestProgram, GuestResult, GuestTurn } from "../../executor.ts";
import { PRELUDE } from "../../prelude.ts";
import { createGuest } from "../guest.ts";

/** Time beyond its limit that a program has to return, in milliseconds: loops within built-ins do not notice the limit. */
const GRACE_MS = 1_000;

/** Time that a thread has to start, in milliseconds: longer than a busy machine needs. */
const START_MS = 60_000;

/** The source of a thread. Tools that keep the names of functions write calls of `__name` into the text of one. */
const SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
const __name = (value) => value;
const createGuest = ${createGuest.toString()};
const guest = import(workerData.library).then((library) => createGuest({ ...workerData, library }));
const answer = (work) => guest.then(work).then((turn) => parentPort.postMessage({ turn }), (thrown) => parentPort.postMessage({ thrown: String(thrown) }));
parentPort.on("message", (result) => answer((one) => result === "start" ? one.start() : one.resume(result)));
answer(() => "ready");
`;

/** Starts the thread of a program. */
export async function createThread(program: GuestProgram, wasm: WebAssembly.Module): Promise<Guest> {
  const guest = new ThreadGuest(program, wasm);
  try {
    await guest.isReady();
    return guest;
  } catch (thrown) {
    guest.close();
    throw thrown;
  }
}

class ThreadGuest implements Guest {
  readonly #worker: Worker;
  readonly #program: GuestProgram;
  #waiting: PromiseWithResolvers<GuestTurn> | undefined;
  #usedMs = 0;

  constructor(program: GuestProgram, wasm: WebAssembly.Module) {
    this.#program = program;
    this.#worker = new Worker(SOURCE, {
      eval: true,
      // It has neither the arguments nor the environment of the process.
      argv: [],
      env: {},
      execArgv: [],
      workerData: { wasm, prelude: PRELUDE, program, library: import.meta.resolve("quickjs-wasi") },
    });
    this.#worker.on("message", (message) => this.#receive(message));
    this.#worker.on("error", (thrown) => this.#waiting?.reject(thrown));
    this.#worker.on("exit", () => this.#waiting?.reject(new Error("The thread of the program has ended")));
  }

  async isReady(): Promise<void> {
    await this.#turn(START_MS, undefined);
  }

  start(): Promise<GuestTurn> {
    return this.#compute("start");
  }

  resume(result: GuestResult): Promise<GuestTurn> {
    return this.#compute(result);
  }

  close(): void {
    // Its end rejects a turn that is under way.
    void this.#worker.terminate();
  }

  /** Sends a message, and waits for the turn that follows: for longer than the program's limit if it is in a loop of a built-in. */
  async #compute(message: "start" | GuestResult): Promise<GuestTurn> {
    const { cpuMs } = this.#program.limits;
    const beganMs = performance.now();
    try {
      return await this.#turn(cpuMs - this.#usedMs + GRACE_MS, message);
    } finally {
      this.#usedMs += performance.now() - beganMs;
    }
  }

  async #turn(limitMs: number, message: "start" | GuestResult | undefined): Promise<GuestTurn> {
    const waiting = Promise.withResolvers<GuestTurn>();
    this.#waiting = waiting;
    const timer = setTimeout(() => {
      const name = "RangeError";
      const text = `The program computes for more than ${this.#program.limits.cpuMs} ms`;
      waiting.resolve({ calls: [], logs: [], end: { error: { kind: "limit", name, message: text, stack: "" } } });
      this.close();
    }, limitMs);
    if (message !== undefined) this.#worker.postMessage(message);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  #receive({ turn, thrown }: { readonly turn?: GuestTurn; readonly thrown?: string }): void {
    if (turn === undefined) this.#waiting?.reject(new Error(thrown));
    else this.#waiting?.resolve(turn);
  }
}
