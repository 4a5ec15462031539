// Does what the tabs of a page say, each in a project without files: installs the package by the command of a tab, saves the files that
// the page names, runs the server by the command of the same runtime, and calls it as the page does.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";

/** A label of a tab, and the runtime that it is for. */
const RUNTIMES = { npm: "Node", Node: "Node", Bun: "Bun", Deno: "Deno", JSR: "JSR" };
/** Manifests of a project that exists; those of Deno have no members. */
const MANIFESTS = {
  Node: ["package.json", { private: true, type: "module" }],
  Bun: ["package.json", { private: true }],
};
/** Commands that install. */
const INSTALL = /^(?:npm install|bun add|deno add) /m;
const START_MS = 60_000;

/** The parts of a page in their order: tabs, files to save, and commands for a server that runs. */
export function partsOf(markdown) {
  const pattern =
    /^::: code-group\n([^]*?)^:::$|^Save as `([\w.]+)`:\n\n```ts[^\n]*\n([^]*?)^```$|^```(sh|ts)[^\n]*\n([^]*?)^```$/gm;
  return Array.from(markdown.matchAll(pattern), ([, group, file, saved, language, code]) => {
    if (group !== undefined) return { kind: "tabs", tabs: tabsOf(group) };
    if (file !== undefined) return { kind: "file", file, code: saved };
    return { kind: language, code };
  });
}

function tabsOf(group) {
  const tabs = Array.from(group.matchAll(/^```(\w+) \[([^\]]+)\]\n([^]*?)^```$/gm), ([, language, label, code]) => {
    if (language !== "sh" || RUNTIMES[label] === undefined) {
      throw new Error(`There is no runtime for the tab [${label}]`);
    }
    return { runtime: RUNTIMES[label], code };
  });
  if (tabs.length === 0) throw new Error("A code group has no tabs");
  return tabs;
}

/** Pages with tabs: their paths, and their parts. */
export function findPages(root) {
  const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md")
  );
  return ["README.md", ...files.map((file) => `docs/${file}`)].sort().flatMap((file) => {
    const markdown = readFileSync(join(root, file), "utf8");
    return /^::: ?code-group/m.test(markdown) ? [{ file, parts: partsOf(markdown) }] : [];
  });
}

/** The runtimes of a page's tabs. */
export function runtimesOf(parts) {
  return [...new Set(parts.flatMap(({ tabs = [] }) => tabs.map(({ runtime }) => runtime)))];
}

/** Entries of the package that the code of a page imports, as `./serve`. */
export function entriesOf(parts) {
  const ids = parts.flatMap(({ code = "" }) =>
    Array.from(code.matchAll(/from "toolwire([^"]*)"/g), ([, entry]) => entry)
  );
  return [...new Set(ids)].map((entry) => `.${entry}`);
}

/**
 * Follows a page on one runtime. @returns what was done. @throws {Error} If a command fails, or the server does not answer as the page
 * says.
 */
export async function followPage({ parts, runtime, folder, env }) {
  mkdirSync(folder);
  // Without a manifest, a runtime takes that of a folder above.
  const [manifest, members] = MANIFESTS[runtime] ?? ["deno.json", {}];
  writeFileSync(join(folder, manifest), JSON.stringify(members));
  const port = await freePort();
  const local = (code) => code.replaceAll("8000", `${port}`);
  const done = [];
  let server;
  try {
    for (const part of parts) {
      const code = local(part.code ?? commandOf(part.tabs, runtime));
      if (part.kind === "file") writeFileSync(join(folder, part.file), importsOf(code, runtime));
      else if (part.kind === "tabs" && INSTALL.test(code)) await runShell(code, folder, env);
      else if (part.kind === "tabs") server = await startServer(code, folder, env, port);
      else if (server === undefined) continue;
      else if (part.kind === "sh") await checkCommands(code, runtime, folder, env);
      else if (code.includes("./server.ts")) await checkClient(code, server, folder, env, runtime);
      else continue;
      done.push(part.kind === "tabs" ? code.replaceAll(/^#.*\n/gm, "").trim() : part.file ?? part.kind);
    }
  } finally {
    server?.end();
  }
  return done;
}

/** The commands of a tab. What is installed from JSR runs as Deno does. */
function commandOf(tabs, runtime) {
  const tab = tabs.find((each) => each.runtime === runtime) ??
    (runtime === "JSR" ? tabs.find((each) => each.runtime === "Deno") : undefined);
  if (tab === undefined) throw new Error(`The page has a tab for ${runtime}, and a group without one`);
  return tab.code;
}

const importsOf = (code, runtime) =>
  runtime === "JSR" ? code.replaceAll(/(?<=from ")toolwire(?=[/"])/g, "jsr:@toolwire/toolwire") : code;

/** Starts the server of a page, and waits until it listens. */
async function startServer(command, folder, env, port) {
  const child = spawn("bash", ["-c", command], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  let hasEnded = false;
  child.once("close", () => (hasEnded = true));
  const end = () => {
    if (!hasEnded) process.kill(-child.pid, "SIGKILL");
  };
  const endMs = performance.now() + START_MS;
  while (!await listens(port)) {
    if (hasEnded || performance.now() > endMs) {
      end();
      throw new Error(`\`${command.trim()}\` does not listen on port ${port}:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { command, end };
}

const listens = (port) => fetch(`http://localhost:${port}/`).then(() => true, () => false);

/** Commands that call the server; `npx` is npm's. Each has to print the argument that it passes, or the name of the tool. */
async function checkCommands(code, runtime, folder, env) {
  for (const line of code.trim().split("\n").filter((line) => runtime === "Node" || !line.startsWith("npx "))) {
    const expected = / \w+=(\w+)$/.exec(line)?.[1] ?? "search_documents";
    const printed = await runShell(line, folder, env);
    if (!printed.includes(expected)) throw new Error(`\`${line}\` printed ${printed}, without ${expected}`);
  }
}

/** A client of the running server, run as the server was. */
async function checkClient(code, { command }, folder, env, runtime) {
  const value = /const (\w+) = await /.exec(code)?.[1];
  writeFileSync(join(folder, "client.ts"), `${importsOf(code, runtime)}\nconsole.log(JSON.stringify(${value}));\n`);
  const printed = await runShell(command.replace("server.ts", "client.ts"), folder, env);
  const expected = /"jazz"/.test(code) ? "jazz" : "";
  if (printed.trim() === "" || !printed.includes(expected)) throw new Error(`client.ts printed ${printed}`);
}

/** Runs commands as they are written. @returns what they print. @throws {Error} If one of them fails. */
async function runShell(code, cwd, env) {
  const child = spawn("bash", ["-euo", "pipefail", "-c", code], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 180_000,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const status = await new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
  if (status !== 0) throw new Error(`\`${code.trim()}\` ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** A port that systems do not give to programs that ask for any, so that no other program takes it before the server does. */
async function freePort() {
  for (let tries = 0; tries < 50; tries++) {
    const port = randomInt(12_000, 30_000);
    const socket = createServer();
    const isFree = await new Promise((resolve) => {
      socket.once("error", () => resolve(false));
      socket.listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => socket.close(resolve));
    if (isFree) return port;
  }
  throw new Error("Fifty ports are in use");
}
