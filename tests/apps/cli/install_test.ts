/** `toolwire install`: configuration files of a home folder, with URLs and programs as targets. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { entriesOf } from "../../../apps/cli/hosts/change_config.ts";
import { canonical } from "../../../apps/cli/hosts/entries.ts";
import type { HostSystem } from "../../../apps/cli/hosts/host.ts";
import { HOSTS } from "../../../apps/cli/hosts/table.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { CONFIGS } from "./hosts/configs.ts";
import { runHere } from "./run_here.ts";

const SKIP = { skip: process.platform === "win32" && "the files are those of Linux and macOS" };
const PROGRAM = ["--", process.execPath, "-e", "0"];

/** A home folder with the configuration of every host. */
async function createHome() {
  const folder = await temporaryFolder();
  const system: HostSystem = {
    platform: process.platform,
    home: folder.path,
    cwd: folder.path,
    env: {},
    list: () => [],
  };
  const fileOf = (id: string) => HOSTS.find((host) => host.id === id)?.file("user", system) ?? "";
  for (const { host, text } of CONFIGS) {
    mkdirSync(dirname(fileOf(host)), { recursive: true });
    writeFileSync(fileOf(host), text);
  }
  const read = (id: string) => readFileSync(fileOf(id), "utf8");
  const run = (...args: readonly string[]) => runHere({ cwd: folder.path }, "install", "--no-start", ...args);
  return { path: folder.path, fileOf, read, run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

for (const { host: id, text } of CONFIGS) {
  test(
    `toolwire install ${id}: the entry is written, the old file kept, and a second run changes nothing`,
    SKIP,
    async () => {
      await using home = await createHome();
      const host = HOSTS.find((one) => one.id === id);
      ok(host);
      const { code, out, errors } = await home.run(id, "--name", "weather", "--env", "LEVEL=s-3", ...PROGRAM);
      strictEqual(code, 0, errors);
      strictEqual(out, "");
      const server = { command: process.execPath, args: ["-e", "0"], env: { LEVEL: "s-3" } };
      strictEqual(canonical(entriesOf(host, home.read(id))["weather"]), canonical(host.toEntry(server, "weather")));
      ok(errors.startsWith(`${home.fileOf(id)}:\n  `), errors);
      ok(!errors.includes("s-3"), "a value of the environment is shown");
      ok(errors.includes(host.next));
      const copies = readdirSync(dirname(home.fileOf(id))).filter((name) => name.endsWith(".bak"));
      deepStrictEqual(copies.map((name) => readFileSync(join(dirname(home.fileOf(id)), name), "utf8")), [text]);
      const after = home.read(id);
      const again = await home.run(id, "--name", "weather", "--env", "LEVEL=s-3", ...PROGRAM);
      deepStrictEqual([again.code, home.read(id)], [0, after]);
      match(again.errors, / has weather already, in .*: nothing to change\n$/);
      strictEqual(readdirSync(dirname(home.fileOf(id))).filter((name) => name.endsWith(".bak")).length, 1);
    },
  );
}

test("toolwire install: another entry of that name is shown, and replaced with --force alone", SKIP, async () => {
  await using home = await createHome();
  const refused = await home.run("cursor", "https://example.com/mcp", "--name", "github", "--json");
  deepStrictEqual([refused.code, refused.out, home.read("cursor")], [
    1,
    "",
    CONFIGS.find(({ host }) => host === "cursor")?.text,
  ]);
  const plain = await home.run("cursor", "https://example.com/mcp", "--name", "github");
  match(plain.errors, /- \s*"url": "https:\/\/api\.githubcopilot\.com\/mcp\/",\n/);
  match(plain.errors, /Cursor has another server github, in .*\n.*--force/);
  const forced = await home.run("cursor", "https://example.com/mcp", "--name", "github", "--force", "--json");
  strictEqual(forced.code, 0, forced.errors);
  const { change, written, backup } = JSON.parse(forced.out);
  deepStrictEqual([change, written, existsSync(backup)], ["different", true, true]);
  match(home.read("cursor"), /"disabled": true, \/\* too slow \*\/\n/);
});

test(
  "toolwire install does not replace what is not an entry, and does not change servers that are none, without --force",
  SKIP,
  async () => {
    await using home = await createHome();
    for (const value of ["5", "null", '"off"', "[1]", "true", '"sk-s3-a"']) {
      const text = `{"mcpServers":{"weather":${value},"other":{"command":"x"}}}\n`;
      writeFileSync(home.fileOf("cursor"), text);
      const refused = await home.run("cursor", "https://example.com/mcp", "--name", "weather");
      deepStrictEqual([refused.code, home.read("cursor")], [1, text], value);
      match(refused.errors, /Cursor has another server weather, in .*\n.*--force/);
      ok(!refused.errors.includes("s3-a"), "a value of the file is shown");
      const forced = await home.run("cursor", "https://example.com/mcp", "--name", "weather", "--force");
      strictEqual(forced.code, 0, forced.errors);
      deepStrictEqual(JSON.parse(home.read("cursor")).mcpServers, {
        weather: { url: "https://example.com/mcp" },
        other: { command: "x" },
      });
    }
    for (const value of ["5", '"s3-b"', "null", "[]", "[{}]"]) {
      const text = `{"mcpServers":${value}}\n`;
      writeFileSync(home.fileOf("cursor"), text);
      const { code, errors } = await home.run("cursor", "https://example.com/mcp", "--name", "weather", "--force");
      deepStrictEqual([code, home.read("cursor")], [1, text], errors);
      match(errors, /^Cannot change .*: "mcpServers" is not an object but (number|string|null|array) \(config\)\n/);
    }
  },
);

test("toolwire install codex does not change servers that are not tables", SKIP, async () => {
  await using home = await createHome();
  for (
    const [text, problem] of [
      ["mcp_servers = 5\n", /"mcp_servers" is not a table but number/],
      ['mcp_servers = "s3-a"\n', /"mcp_servers" is not a table but string/],
      ["mcp_servers = [1]\n", /"mcp_servers" is not a table but array/],
      ["[[mcp_servers]]\nname = 1\n", /"mcp_servers" is not a table but array/],
      ["mcp_servers = 1979-05-27T07:32:00Z\n", /"mcp_servers" is not a table but (date|object)/],
    ] as const
  ) {
    for (const force of [[], ["--force"]]) {
      writeFileSync(home.fileOf("codex"), text);
      const { code, errors } = await home.run("codex", "https://example.com/mcp", "--name", "weather", ...force);
      deepStrictEqual([code, home.read("codex")], [1, text], errors);
      match(errors, problem);
      ok(!errors.includes("s3-a"), "a value of the file is shown");
    }
  }
  for (
    const text of ["[mcp_servers]\nweather = 5\n", "mcp_servers.weather = true\n", "[[mcp_servers.weather]]\na = 1\n"]
  ) {
    writeFileSync(home.fileOf("codex"), text);
    const { code, errors } = await home.run("codex", "https://example.com/mcp", "--name", "weather");
    deepStrictEqual([code, home.read("codex")], [1, text], errors);
    match(errors, /Codex has another server weather, in |is written in a form that cannot be changed line by line/);
  }
});

test("toolwire install --dry-run, --print and --link write nothing", SKIP, async () => {
  await using home = await createHome();
  const before = CONFIGS.map(({ host }) => home.read(host));
  const dry = await home.run("zed", "https://example.com/mcp", "--dry-run");
  strictEqual(dry.code, 0);
  match(dry.errors, /\+ {5}"example": \{/);
  const print = await home.run("codex", "https://mcp.example.com/mcp", "--print", "--header", "x-team: blue");
  strictEqual(
    print.out,
    '[mcp_servers.example]\nurl = "https://mcp.example.com/mcp"\nhttp_headers = { x-team = "blue" }\n',
  );
  match(print.errors, /^Codex does the same by: codex mcp add example --url https:\/\/mcp\.example\.com\/mcp\n$/);
  const command = await home.run("claude-code", "--print", "--name", "files", ...PROGRAM, "it's");
  match(command.errors, /^Claude Code does the same by: claude mcp add files -- \S+ -e 0 'it'\\''s'\n$/);
  const cursor = new URL((await home.run("cursor", "--link", ...PROGRAM)).out);
  strictEqual(cursor.href.split("?")[0], "cursor://anysphere.cursor-deeplink/mcp/install");
  deepStrictEqual(JSON.parse(atob(cursor.searchParams.get("config") ?? "")), {
    command: process.execPath,
    args: ["-e", "0"],
  });
  const vscode = (await home.run("vscode", "https://example.com/mcp", "--link")).out.trim();
  deepStrictEqual(JSON.parse(decodeURIComponent(vscode.replace("vscode:mcp/install?", ""))), {
    name: "example",
    type: "http",
    url: "https://example.com/mcp",
  });
  const goose = new URL((await home.run("goose", ...PROGRAM, "a b&c")).out);
  deepStrictEqual(goose.searchParams.getAll("arg"), ["-e", "0", "a b&c"]);
  deepStrictEqual(CONFIGS.map(({ host }) => home.read(host)), before);
});

test("toolwire install shows no secret of the file, in any spelling", SKIP, async () => {
  await using home = await createHome();
  const entry = '"weather":{"command":"x","args":["--api-key","s3-a","--db=pg://u:s3-b@h","API_TOKEN=s3-c"],' +
    '"env":{"K":"s3-\\u0064"},"auth":{"CLIENT_SECRET":"s3-e"}}';
  const other = '"o":{"url":"https://u:s3-f@h/","env":{"K":"s3-g"}}';
  for (const servers of [`${other},${entry}`, `${entry},${other}`, other]) {
    writeFileSync(home.fileOf("cursor"), `{"mcpServers":{${servers}}}`);
    const url = "https://u:s3-h@example.com/mcp?key=s3-i";
    const { code, errors } = await home.run("cursor", url, "--name", "weather", "--dry-run", "--header", "x: s3-j");
    strictEqual(code, 0, errors);
    match(errors, /\+ {7}"url": "https:\/\/…@example\.com\/mcp\?key=…"/);
    ok(!errors.includes("s3-"), errors);
  }
  const toml = '[mcp_servers.weather]\ncommand = "x"\n[mcp_servers.weather.env]\nK = "s3-k"\nD = 1979-05-27\n';
  writeFileSync(home.fileOf("codex"), toml);
  const { code, errors } = await home.run("codex", "--name", "weather", "--env", "K=s3-l", "--dry-run", ...PROGRAM);
  strictEqual(code, 0, errors);
  ok(errors.includes("+ env = { K =") && !errors.includes("s3-"), errors);
});

test("toolwire install: a file of the project, which is new", SKIP, async () => {
  await using home = await createHome();
  strictEqual((await home.run("claude-code", "https://example.com/mcp", "--scope", "project")).code, 0);
  strictEqual(
    readFileSync(join(home.path, ".mcp.json"), "utf8"),
    '{\n  "mcpServers": {\n    "example": {\n      "type": "http",\n      "url": "https://example.com/mcp"\n    }\n  }\n}\n',
  );
});

test("toolwire install: wrong use has its exit code, and says what to do", SKIP, async () => {
  await using home = await createHome();
  writeFileSync(home.fileOf("gemini"), '{ "theme": ');
  for (
    const [args, code, words] of [
      [[], 2, /^The argument <host> is missing\nHosts are claude-desktop, /],
      [["curser", "https://example.com/mcp"], 2, /^There is no host "curser": did you mean "cursor"\?\nHosts are /],
      [["cursor"], 2, /^The target is missing\n/],
      [["cursor", "https://example.com/mcp", "more"], 2, /^There is one argument too many: "more"/],
      [["cursor", "./none.ts"], 2, /^Cannot load \.\/none\.ts: there is no file \//],
      [["cursor", "grpc://localhost:1"], 2, /^Hosts cannot use this target: /],
      [["cursor", "--", "no-such-program-x"], 2, /^Cannot install no-such-program-x: there is no such program in PATH/],
      [["cursor", "https://example.com/mcp", "--env", "A=1"], 2, /^--env is for programs/],
      [["cursor", "--header", "a:b", ...PROGRAM], 2, /^--header is for URLs/],
      [
        ["cursor", "https://example.com/mcp", "--name", "a b"],
        2,
        /^The option --name is invalid: "a b" has characters /,
      ],
      [["cursor", "https://example.com/mcp", "--scope", "team"], 2, /^The option --scope is one of user, project/],
      [["windsurf", "https://example.com/mcp", "--scope", "project"], 2, /^Windsurf has no file for projects/],
      [["windsurf", "https://example.com/mcp", "--link"], 2, /^Windsurf has no link/],
      [
        ["claude-desktop", "https://example.com/mcp"],
        2,
        /^Cannot add https:.* to Claude Desktop: its file lists programs only/,
      ],
      [["claude-desktop", "--env", "KEY", ...PROGRAM], 2, /^Cannot refer to KEY in Claude Desktop/],
      [
        ["gemini", "https://example.com/mcp"],
        1,
        /^Cannot change .*settings\.json: line 1, column 1[23]: value expected .*\nMend the file/,
      ],
    ] as const
  ) {
    const ended = await home.run(...args);
    strictEqual(ended.code, code, `${args.join(" ")}: ${ended.errors}`);
    match(ended.errors, words);
    strictEqual(ended.out, "");
  }
});

test("a target may be the name of a server in a host's configuration", SKIP, async () => {
  await using home = await createHome();
  const list = (target: string) => runHere({ cwd: home.path }, "list", target, "--timeout", "1s");
  const missing = await list("cursor:githubb");
  strictEqual(missing.code, 2);
  match(
    missing.errors,
    /^There is no file and no server "cursor:githubb": did you mean "cursor:github"\?\nHosts have .*codex:docs/,
  );
  await home.run("cursor", "https://one.example/mcp", "--name", "twice");
  await home.run("zed", "https://two.example/mcp", "--name", "twice");
  match((await list("twice")).errors, /^Several hosts have a server "twice"\nName the host: cursor:twice, zed:twice/);
});
