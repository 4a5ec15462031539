/** Servers in the configuration files of a repository: a person is asked before a program is started or a variable is filled in. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";
import { showInTerminal, TERMINAL_OPTIONS } from "./show_in_terminal.ts";

const SECRET = "s3-secret";

/** A cloned repository whose file starts a program that leaves a mark, and a home folder. */
async function createProject() {
  const folder = await temporaryFolder();
  const [home, project] = [join(folder.path, "home"), join(folder.path, "project")];
  mkdirSync(join(home, ".cursor"), { recursive: true });
  mkdirSync(join(project, ".cursor"), { recursive: true });
  const mark = join(folder.path, "started");
  const file = join(project, ".cursor/mcp.json");
  const program = `require("fs").writeFileSync(${JSON.stringify(mark)}, process.argv.join())`;
  const write = (more: object = {}) => {
    const weather = { command: process.execPath, args: ["-e", program, "${env:SECRET}"], ...more };
    writeFileSync(file, JSON.stringify({ mcpServers: { weather } }));
  };
  write();
  const place = { cwd: project, env: { HOME: home, SECRET } };
  return { home, project, file, mark, write, place, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("a project's server is refused without a terminal: no program is started, no variable is filled in", async () => {
  await using clone = await createProject();
  for (const target of ["cursor:weather", "weather"]) {
    const { code, errors } = await runHere(clone.place, "list", target, "--timeout", "2s");
    strictEqual(code, 6, errors);
    match(
      errors,
      /^The server "weather" is of a project's file, \S+\/\.cursor\/mcp\.json \(untrusted_project\)\n.*--trust-project/,
    );
    ok(errors.includes("${env:SECRET}") && !errors.includes(SECRET), errors);
  }
  strictEqual(existsSync(clone.mark), false);
  const { code } = await runHere(clone.place, "list", "weather", "--trust-project", "--timeout", "2s");
  strictEqual(code, 4);
  ok(readFileSync(clone.mark, "utf8").includes(SECRET), "with the flag it is started");
  strictEqual(existsSync(join(clone.home, ".config")), false, "the flag is for one command");
});

test("a project's URL gets no request and no variable without trust", async () => {
  await using clone = await createProject();
  const seen: string[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(request.url ?? "");
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=\${SECRET}`;
  writeFileSync(clone.file, JSON.stringify({ mcpServers: { weather: { url } } }));
  deepStrictEqual([(await runHere(clone.place, "list", "weather")).code, seen], [6, []]);
  strictEqual((await runHere(clone.place, "list", "weather", "--trust-project")).code, 4);
  ok(seen.includes(`/mcp?key=${SECRET}`), seen.join());
  server.close();
});

test("list without a target prints references to variables as the file has them", async () => {
  await using clone = await createProject();
  const servers = {
    a: { url: "https://user:password@${SECRET}.example/${env:SECRET}/mcp?key=${SECRET}#x" },
    b: { command: "${SECRET}" },
  };
  writeFileSync(clone.file, JSON.stringify({ mcpServers: servers }));
  const { out } = await runHere(clone.place, "list");
  strictEqual(out, "cursor:a  https://${SECRET}.example/${env:SECRET}/mcp\ncursor:b  ${SECRET}\n");
  ok(!(await runHere(clone.place, "list", "--json")).out.includes(SECRET.slice(3)));
});

test("the user's own server of that name, with the same entry, needs no trust", async () => {
  await using clone = await createProject();
  mkdirSync(join(clone.home, ".codeium/windsurf"), { recursive: true });
  writeFileSync(join(clone.home, ".codeium/windsurf/mcp_config.json"), readFileSync(clone.file));
  strictEqual((await runHere(clone.place, "list", "weather", "--timeout", "2s")).code, 4);
  strictEqual((await runHere(clone.place, "list", "cursor:weather", "--timeout", "2s")).code, 6);
});

test("a person is asked once for a file and its content", TERMINAL_OPTIONS, async () => {
  await using clone = await createProject();
  const env = { HOME: clone.home, SECRET };
  const list = (...steps: Parameters<typeof showInTerminal>[1]) =>
    showInTerminal(["list", "cursor:weather", "--timeout", "2s"], steps, { env, cwd: clone.project });
  const [DOWN, ENTER] = ["\u001b[B", "\r"];
  const asked = { until: "Trust this file until it changes?" };
  const refused = await list(asked, { until: "Yes" }, { send: ENTER });
  deepStrictEqual([refused.code, existsSync(clone.mark)], [3, false], refused.plain);
  const accepted = await list(asked, { until: "Yes" }, { send: DOWN }, { send: ENTER });
  deepStrictEqual([accepted.code, existsSync(clone.mark)], [4, true], accepted.plain);
  const record = join(clone.home, ".config/toolwire/trusted-projects.json");
  if (process.platform !== "win32") strictEqual(statSync(record).mode & 0o777, 0o600);
  deepStrictEqual(readdirSync(join(clone.home, ".config/toolwire")), ["trusted-projects.json"]);
  const again = await runHere(clone.place, "list", "weather", "--timeout", "2s");
  strictEqual(again.code, 4, again.errors);
  clone.write({ env: { MORE: "1" } });
  strictEqual((await runHere(clone.place, "list", "weather", "--timeout", "2s")).code, 6, "the content is another one");
});
