#!/usr/bin/env node
/**
 * The command `toolwire`: finds what the first word names, and runs it with the rest.
 *
 * @module
 */
import process from "node:process";
import type { Command } from "./command.ts";

/** Each in a file of its own, loaded when it is named. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  stdio: () => import("./stdio.ts").then(({ stdio }) => stdio),
  pin: () => import("./pin.ts").then(({ pin }) => pin),
};

process.exitCode = await main(process.argv.slice(2));

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return await (await load()).run(args);
  const usages = await Promise.all(Object.values(COMMANDS).map(async (load) => (await load()).usage));
  process.stderr.write(`Usage: ${usages.join("\n       ")}\n`);
  return 2;
}
