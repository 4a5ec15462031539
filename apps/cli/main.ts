#!/usr/bin/env node
/**
 * The program `toolwire`.
 *
 * @module
 */
import process from "node:process";
import { runProgram } from "./app.ts";
import { EXIT } from "./exit_codes.ts";

const { stdin, stdout, stderr } = process;

// The functions of now: a module or a server that runs in this process must not write to standard output.
const write = stdout.write.bind(stdout) as (text: string, written: () => void) => boolean;

let code: number = EXIT.ok;
/** Resolves when the last text is written. */
let written: Promise<void> = Promise.resolve();

// The reader of a pipe may close it early, as `head` does.
stdout.on("error", () => process.exit(code));

code = await runProgram(process.argv.slice(2), {
  stdout: {
    write(text) {
      written = new Promise((resolve) => void write(text, resolve));
    },
    get isTTY() {
      return stdout.isTTY;
    },
    get columns() {
      return stdout.columns;
    },
  },
  stderr,
  stdin,
  env: process.env,
  cwd: process.cwd(),
}, {
  onInterrupt: (listener) => void process.on("SIGINT", listener),
  exit: (code) => process.exit(code),
});

// Exits even if timers or sockets of a module are still active, once the output is written. The output is not ended: on Node it may be a
// socket that a shell shares with other commands.
await written;
process.exit(code);
