#!/usr/bin/env node
/**
 * The command `toolwire`: looks up the command by its first argument and runs it with the rest.
 *
 * @module
 */
import process from "node:process";
import { VERSION } from "../internal/version.ts";
import { type Command, describeUnfamiliar, fail } from "./command.ts";

/** Each command is a file, loaded on use. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["stdio", () => import("./stdio.ts").then(({ stdio }) => stdio)],
  ["pin", () => import("./pin.ts").then(({ pin }) => pin)],
]);

const HELP: ReadonlySet<string | undefined> = new Set(["help", "--help", "-h"]);

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined) return fail(await usage(), 2);
  if (name === "--version") return print(`toolwire ${VERSION}`);
  if (HELP.has(name)) return args[0] === undefined ? print(await usage()) : await main([args[0], "--help"]);
  const load = COMMANDS.get(name);
  if (load === undefined) {
    return fail(`${describeUnfamiliar("command", name, [...COMMANDS.keys(), "help"])}\n\n${await usage()}`, 2);
  }
  if (Promise.withResolvers === undefined) {
    return fail(`Toolwire needs Node 22 or later; this is ${process.version}`, 1);
  }
  const command = await load();
  if (args[0] !== "help" && HELP.has(args[0])) return print(`Usage: ${command.usage}\n\n${command.about}`);
  return await command.run(args);
}

async function usage(): Promise<string> {
  const commands = await Promise.all([...COMMANDS.values()].map(async (load) => await load()));
  return [
    "Usage: toolwire <command>",
    ...commands.map(({ usage, about }) => `  ${usage}\n      ${about}`),
    "  toolwire help [command], toolwire --version",
  ].join("\n\n");
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
