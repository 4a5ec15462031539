// Runs the scenes in a real shell, with real programs, and notes what they print, and when.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

const END = "::end of command";

/** The port of `bun gateway.ts`, as it is typed. */
const PORT = "3000";

/**
 * Records one scene: for each command the pieces of its output with their times after the command, in milliseconds.
 *
 * @param port takes the place of the port that is typed
 */
export async function recordScene({ caption, files, commands }, root, port = PORT) {
  const folder = prepareFolder(root, files);
  const path = [join(folder, "node_modules/.bin"), join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const env = {
    PATH: path,
    HOME: folder,
    NO_COLOR: "1",
    LANG: "C.UTF-8",
    npm_config_update_notifier: "false",
    PORT: port,
  };
  // A process group, so that programs of the background end with the scene.
  const shell = spawn("bash", ["--norc"], { cwd: folder, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  try {
    shell.stdin.write("set -m\n");
    const recorded = [];
    for (const command of commands) recorded.push(await runCommand(shell, command, { folder, port }));
    return { caption, commands: recorded };
  } finally {
    shell.stdin.write("kill -9 $(jobs -p)\nexit\n");
    await new Promise((resolve) => shell.once("close", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A project below the repository, where Bun resolves `toolwire` to the sources, with the programs that `npx` finds. */
function prepareFolder(root, files) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/session-"));
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "name": "session", "private": true, "type": "module" }');
  writeFileSync(join(bin, "toolwire"), `#!/bin/sh\nexec bun ${join(root, "apps/cli/main.ts")} "$@"\n`);
  chmodSync(join(bin, "toolwire"), 0o755);
  mkdirSync(join(folder, "node_modules/@modelcontextprotocol"));
  const everything = "@modelcontextprotocol/server-everything";
  symlinkSync(join(root, "node_modules", everything), join(folder, "node_modules", everything));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function runCommand(shell, { typed, until }, { folder, port }) {
  const withPort = (text) => text.replaceAll(`localhost:${PORT}`, `localhost:${port}`);
  const output = [];
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    let all = "";
    const stop = () => {
      clearTimeout(timer);
      for (const stream of [shell.stdout, shell.stderr]) stream.removeListener("data", take);
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`${typed} did not end; it printed:\n${all}`));
    }, 120_000);
    const take = (chunk) => {
      all += chunk;
      const text = String(chunk).replace(`${END}\n`, "").replaceAll(folder, "~").replaceAll(
        `localhost:${port}`,
        `localhost:${PORT}`,
      );
      if (text !== "") output.push({ atMs: Math.round(performance.now() - begin), text });
      if (!all.includes(END) || (until !== undefined && !all.includes(withPort(until)))) return;
      stop();
      resolve({ typed, output, tookMs: Math.round(performance.now() - begin) });
    };
    for (const stream of [shell.stdout, shell.stderr]) stream.on("data", take);
    shell.stdin.write(`${withPort(typed)}\necho '${END}'\n`);
  });
}
