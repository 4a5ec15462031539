/** Where hosts have their configuration, and the servers in it. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../../../apps/cli/hosts/config_file.ts";
import { diffLines } from "../../../../apps/cli/hosts/diff_lines.ts";
import { fromEntry } from "../../../../apps/cli/hosts/entries.ts";
import type { HostServer, HostSystem } from "../../../../apps/cli/hosts/host.ts";
import { launchModule } from "../../../../apps/cli/hosts/launch.ts";
import { readHostServers } from "../../../../apps/cli/hosts/read_servers.ts";
import { HOSTS } from "../../../../apps/cli/hosts/table.ts";
import { VERSION } from "../../../../src/internal/version.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { CONFIGS } from "./configs.ts";

function systemOf(platform: string, home: string, env: HostSystem["env"] = {}): HostSystem {
  return { platform, home, cwd: `${home}/shop`, env, list: () => [] };
}

test("each host has its file on each system", () => {
  const filesOn = (system: HostSystem) =>
    Object.fromEntries(HOSTS.map((host) => [host.id, [host.file("user", system), host.file("project", system)]]));
  const codium = ".codeium/windsurf/mcp_config.json";
  const support = "/Users/ada/Library/Application Support";
  const macos = filesOn(systemOf("darwin", "/Users/ada"));
  deepStrictEqual(macos, {
    "claude-desktop": [`${support}/Claude/claude_desktop_config.json`, undefined],
    "claude-code": ["/Users/ada/.claude.json", "/Users/ada/shop/.mcp.json"],
    cursor: ["/Users/ada/.cursor/mcp.json", "/Users/ada/shop/.cursor/mcp.json"],
    vscode: [`${support}/Code/User/mcp.json`, "/Users/ada/shop/.vscode/mcp.json"],
    codex: ["/Users/ada/.codex/config.toml", "/Users/ada/shop/.codex/config.toml"],
    gemini: ["/Users/ada/.gemini/settings.json", "/Users/ada/shop/.gemini/settings.json"],
    windsurf: [`/Users/ada/${codium}`, undefined],
    zed: ["/Users/ada/.config/zed/settings.json", "/Users/ada/shop/.zed/settings.json"],
    goose: ["/Users/ada/.config/goose/config.yaml", undefined],
  });
  const linux = filesOn(systemOf("linux", "/home/ada", { XDG_CONFIG_HOME: "/home/ada/etc" }));
  deepStrictEqual([linux["claude-desktop"], linux["vscode"], linux["zed"]].map((files) => files?.[0]), [
    "/home/ada/etc/Claude/claude_desktop_config.json",
    "/home/ada/etc/Code/User/mcp.json",
    "/home/ada/etc/zed/settings.json",
  ]);
  const windows = filesOn(systemOf("win32", "C:\\Users\\ada", { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" }));
  deepStrictEqual(Object.values(windows).map(([user]) => user), [
    "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    "C:\\Users\\ada\\.claude.json",
    "C:\\Users\\ada\\.cursor\\mcp.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
    "C:\\Users\\ada\\.codex\\config.toml",
    "C:\\Users\\ada\\.gemini\\settings.json",
    "C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
  ]);
  const store = { ...systemOf("win32", "C:\\Users\\ada"), list: () => ["Claude_pzs8sxrjxfjjc", "Other_1"] };
  strictEqual(
    HOSTS[0]?.file("user", store),
    "C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
  );
});

test("readHostServers() finds the servers of all hosts, and names the files that it cannot read", async () => {
  await using home = await temporaryFolder();
  const system = systemOf("linux", home.path, { GITHUB_TOKEN: "gh-1", PERPLEXITY: "no" });
  for (const { host: id, text } of CONFIGS) {
    const file = HOSTS.find((host) => host.id === id)?.file("user", system) ?? "";
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll("/home/ada/shop", system.cwd));
  }
  const project = join(system.cwd, ".cursor/mcp.json");
  mkdirSync(dirname(project), { recursive: true });
  writeFileSync(project, "{");
  const { servers, unreadable } = readHostServers(system);
  deepStrictEqual(servers.map(({ host, name, scope }) => `${host}:${name} ${scope}`), [
    "claude-desktop:filesystem user",
    "claude-desktop:sqlite user",
    "claude-code:local-only local",
    "cursor:github user",
    "vscode:perplexity user",
    "codex:docs user",
    "windsurf:figma user",
    "zed:postgres user",
  ]);
  const byName = Object.fromEntries(servers.map(({ name, filledIn }) => [name, filledIn()]));
  deepStrictEqual(byName["github"], {
    url: "https://api.githubcopilot.com/mcp/",
    headers: { Authorization: "Bearer gh-1" },
  });
  deepStrictEqual(byName["postgres"], { command: "pg-mcp", args: ["postgresql://localhost/shop"], env: {} });
  deepStrictEqual(byName["docs"], { command: "npx", args: ["-y", "docs-server"], env: { TOKEN: "secret" } });
  deepStrictEqual(byName["figma"], { url: "https://mcp.figma.com/mcp", headers: {} });
  deepStrictEqual(unreadable.map(({ host, file }) => [host, file]), [["cursor", project]]);
  match(unreadable[0]?.reason ?? "", /^line 1, column 2: close brace expected/);
});

test("what a host writes is what is read back", () => {
  const env = { API_KEY: "k-1" };
  const program: HostServer = { command: "/bin/node", args: ["a b"], env: { LEVEL: "3" } };
  const remote: HostServer = { url: "https://example.com/mcp", headers: { "x-team": "blue" } };
  for (const host of HOSTS.filter(({ format }) => format !== "yaml")) {
    deepStrictEqual(fromEntry(host.toEntry(program, "x"), env), program, host.id);
    if (host.id === "claude-desktop") continue;
    deepStrictEqual(fromEntry(host.toEntry(remote, "x"), env), remote, host.id);
    if (host.id === "vscode" || host.id === "zed") continue;
    const secret = fromEntry(host.toEntry({ ...program, secrets: ["API_KEY"] }, "x"), env);
    deepStrictEqual(secret, { ...program, env: { LEVEL: "3", API_KEY: "k-1" } }, host.id);
  }
  deepStrictEqual(fromEntry({ url: "https://x.example", bearer_token_env_var: "API_KEY" }, env), {
    url: "https://x.example",
    headers: { authorization: "Bearer k-1" },
  });
  deepStrictEqual(fromEntry({ command: "${NO:-x}", args: ["${API_KEY}", "${MISSING}", 1] }, env), {
    command: "x",
    args: ["k-1", "${MISSING}", "1"],
    env: {},
  });
  strictEqual(fromEntry({ disabled: true }, env), undefined);
});

test("readConfig() refuses a folder, and a file that is not UTF-8", async () => {
  await using folder = await temporaryFolder();
  throws(() => readConfig(folder.path), {
    name: "ConfigError",
    message: /^Cannot read the file .*: it is a folder, not a regular file$/,
  });
  const file = join(folder.path, "mcp.json");
  writeFileSync(file, new Uint8Array([0xff, 0xfe, 0x7b, 0x00]));
  throws(() => readConfig(file), { name: "ConfigError", message: /^Cannot read .*mcp\.json: it is not UTF-8$/ });
  strictEqual(readConfig(join(folder.path, "none.json")), undefined);
});

test("diffLines() shows the lines that change, as they are printed", () => {
  deepStrictEqual(diffLines("a\nb\nc\n", "a\r\nB\r\nx\r\nc\r\n"), ["- b", "+ B", "+ x"]);
  deepStrictEqual(diffLines("k=1", "k=2", { before: "k=…", after: "k=…" }), ["- k=…", "+ k=…"]);
  deepStrictEqual(diffLines("a\n", "a\n"), []);
  deepStrictEqual(diffLines("a\na\n", "a\na\na\n"), ["+ a"]);
});

test("launchModule() starts the toolwire beside the module, by absolute paths", async () => {
  await using folder = await temporaryFolder();
  const module = join(folder.path, "src/server.ts");
  const node = { name: "node", path: "/opt/node", program: "/cache/main.js" } as const;
  deepStrictEqual(launchModule(module, undefined, node), {
    command: "/opt/node",
    args: ["/cache/main.js", "stdio", module],
  });
  const installed = join(folder.path, "node_modules/toolwire");
  mkdirSync(join(installed, "dist"), { recursive: true });
  writeFileSync(join(installed, "package.json"), JSON.stringify({ bin: { toolwire: "./dist/main.js" } }));
  writeFileSync(join(installed, "dist/main.js"), "");
  ok(existsSync(join(installed, "dist/main.js")));
  deepStrictEqual(launchModule(module, "admin", node).args, [
    join(installed, "dist/main.js"),
    "stdio",
    `${module}#admin`,
  ]);
  const config = join(folder.path, "deno.json");
  writeFileSync(config, "{}");
  deepStrictEqual(launchModule(module, undefined, { ...node, name: "deno", path: "/opt/deno" }), {
    command: "/opt/deno",
    args: [
      "run",
      "-A",
      "--quiet",
      "--sloppy-imports",
      "--config",
      config,
      join(installed, "dist/main.js"),
      "stdio",
      module,
    ],
  });
  deepStrictEqual(
    launchModule("/none/server.ts", undefined, { ...node, program: undefined }).args[0],
    `npm:toolwire@${VERSION}`,
  );
});
