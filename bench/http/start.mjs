// Starts a server of a contender in a separate process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { commands } from "../runtimes.mjs";

const SERVER = fileURLToPath(new URL("server.mjs", import.meta.url));

/**
 * @param file Its file in `contenders/`.
 * @param way How it gets onto a port (server.mjs).
 * @returns `{ child, url }`, once it listens.
 */
export async function startServer(runtime, file, way) {
  const [command, ...args] = commands[runtime](SERVER);
  const child = spawn(command, [...args, file, way], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = once(createInterface({ input: child.stdout }), "line").then((
    [text],
  ) => JSON.parse(text));
  const ended = once(child, "exit").then(() => {
    throw new Error(`The server of ${file} ended on ${runtime}`);
  });
  ended.catch(() => {});
  try {
    return { child, ...await Promise.race([line, ended]) };
  } catch (thrown) {
    child.kill();
    throw thrown;
  }
}
