/** The executors that a runtime has. */
import { type Executor, quickjs } from "../../../src/entries/code.ts";

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Compiled by the bundler where code compiles nothing while it runs. */
const wasm = isWorker ? (await import("quickjs-wasi/quickjs.wasm")).default : undefined;

/** In the thread of the server. */
export const inline: Executor = quickjs({ isolation: "inline", wasm });

/** In a thread for each program, where there are threads. */
export const threads: Executor = isWorker ? inline : quickjs({ isolation: "thread" });
