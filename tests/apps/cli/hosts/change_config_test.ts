/** Changes of configuration files: the entry is written, and nothing else changes. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, parseConfig, planChange, snippetOf } from "../../../../apps/cli/hosts/change_config.ts";
import { canonical } from "../../../../apps/cli/hosts/entries.ts";
import type { Host, HostServer } from "../../../../apps/cli/hosts/host.ts";
import { HOSTS } from "../../../../apps/cli/hosts/table.ts";
import { CONFIGS } from "./configs.ts";

const PROGRAM: HostServer = { command: "/usr/bin/node", args: ["/work/cli.js", "stdio", "/work/a b/server.ts"] };
const OTHER: HostServer = { command: "/usr/bin/bun", args: ["/work/cli.js"], env: { LEVEL: "3" } };
const REMOTE: HostServer = { url: "https://example.com/mcp", headers: { "X-Team": "blue" } };

function hostOf(id: string): Host {
  const host = HOSTS.find((one) => one.id === id);
  ok(host, id);
  return host;
}

/** The styles that editors and systems give one and the same file. */
const STYLES: readonly (readonly [string, (text: string) => string])[] = [
  ["as it is", (text) => text],
  ["with CRLF", (text) => text.replaceAll("\n", "\r\n")],
  ["with a byte order mark", (text) => `\uFEFF${text}`],
  ["with both", (text) => `\uFEFF${text.replaceAll("\n", "\r\n")}`],
];

/** Each line of the file is still there, in order; a comma may have been added to it. */
function checkLines(before: string, after: string): void {
  const lines = after.split(/\r?\n/).map((line) => line.trim());
  let at = 0;
  for (const line of before.split(/\r?\n/).map((text) => text.trim()).filter((text) => text !== "")) {
    const found = lines.findIndex((other, index) =>
      index >= at && (other.replaceAll(",", "") === line.replaceAll(",", ""))
    );
    ok(found >= at, `this line is gone or moved: ${line}\n${after}`);
    at = found + 1;
  }
}

function withoutEntry(host: Host, text: string, name: string): string {
  const { [host.member]: servers, ...rest } = parseConfig(host, text);
  const { [name]: _, ...others } = (servers ?? {}) as Record<string, unknown>;
  return canonical({ ...rest, [host.member]: others });
}

for (const { host: id, what, text: original, kept } of CONFIGS) {
  for (const [style, change] of STYLES) {
    test(`${id}: a server is added to a file with ${what}, ${style}`, () => {
      const host = hostOf(id);
      const text = change(original);
      const { kind, after } = planChange(host, text, "weather", PROGRAM);
      strictEqual(kind, "new");
      deepStrictEqual(canonical(entriesOf(host, after)["weather"]), canonical(host.toEntry(PROGRAM, "weather")));
      strictEqual(withoutEntry(host, after, "weather"), withoutEntry(host, text, "weather"));
      // Objects of one line are opened.
      if (id !== "windsurf") checkLines(text.replace(/"mcpServers": \{\}/, ""), after);
      for (const comment of kept) ok(after.includes(comment), comment);
      strictEqual(after.startsWith("\uFEFF"), text.startsWith("\uFEFF"));
      if (text.includes("\r\n")) ok(!/[^\r]\n/.test(after), "a line ends in LF alone");
      if (original.includes("\n\t")) ok(!/^ /m.test(after), "a line begins with a space");
      const again = planChange(host, after, "weather", PROGRAM);
      deepStrictEqual([again.kind, again.after === after], ["same", true]);
    });
  }

  test(`${id}: another server under the same name replaces its members, and keeps those of the user`, () => {
    const host = hostOf(id);
    const added = planChange(host, original, "weather", PROGRAM).after;
    const marked = host.format === "toml"
      ? added.replace("[mcp_servers.weather]", "[mcp_servers.weather] # mine\nenabled = false # for now")
      : added.replace(/"weather": \{/, '"weather": { // mine\n"disabled": true, // for now\n');
    const { kind, after } = planChange(host, marked, "weather", OTHER);
    strictEqual(kind, "different");
    const entry = entriesOf(host, after)["weather"];
    const mine = host.format === "toml" ? { enabled: false } : { disabled: true };
    strictEqual(canonical(entry), canonical({ ...host.toEntry(OTHER, "weather"), ...mine }));
    ok(after.includes("# mine") || after.includes("// mine"), after);
    ok(after.includes("for now"), after);
    strictEqual(withoutEntry(host, after, "weather"), withoutEntry(host, original, "weather"));
    strictEqual(planChange(host, after, "weather", OTHER).kind, "same");
    const back = planChange(host, after, "weather", PROGRAM).after;
    strictEqual(
      canonical(entriesOf(host, back)["weather"]),
      canonical({ ...host.toEntry(PROGRAM, "weather"), ...mine }),
    );
  });

  test(`${id}: a file that is empty, or missing, gets the entry alone`, () => {
    const host = hostOf(id);
    for (const text of ["", "\n", "\uFEFF", host.format === "toml" ? "# mine\n" : "// mine\n"]) {
      const { after } = planChange(host, text, "weather", PROGRAM);
      deepStrictEqual(Object.keys(entriesOf(host, after)), ["weather"]);
      ok(after.endsWith("\n"));
      strictEqual(after.includes("mine"), text.includes("mine"));
      strictEqual(planChange(host, after, "weather", PROGRAM).kind, "same");
    }
    strictEqual(planChange(host, snippetOf(host, "weather", PROGRAM), "weather", PROGRAM).kind, "same");
  });

  test(`${id}: a broken file is refused with the place`, () => {
    const host = hostOf(id);
    const broken = original.replace(/[\]}]\s*$/, "").replace("trust_level =", "trust_level");
    throws(() => planChange(host, broken, "weather", PROGRAM), {
      name: "ConfigError",
      message: /^line \d+, column \d+: /,
    });
  });
}

test("a file whose servers are not an object, or which is not an object itself, is refused", () => {
  const cursor = hostOf("cursor");
  throws(() => planChange(cursor, "[]", "a", PROGRAM), /expected an object, received array/);
  throws(() => planChange(cursor, '{ "mcpServers": [] }', "a", PROGRAM), /"mcpServers" is not an object but array/);
  throws(
    () => planChange(hostOf("vscode"), '{ "inputs": {} }', "a", { ...PROGRAM, secrets: ["KEY"] }),
    /"inputs" is not a list/,
  );
});

test("Codex: inline tables cannot be changed line by line, and the error says so", () => {
  const codex = hostOf("codex");
  for (const text of ['mcp_servers = { docs = { command = "a" } }\n', 'mcp_servers.weather.command = "a"\n']) {
    throws(
      () => planChange(codex, text, "weather", PROGRAM),
      /\[mcp_servers\.weather\] is written in a form .* by hand/,
    );
  }
});

test("Codex: a text that looks like the table is not changed", () => {
  const text = CONFIGS.find(({ host }) => host === "codex")?.text ?? "";
  const closed = 'prompt = """\n[mcp_servers.alsofake]\ncommand = "no"\n[x]\n"""\n';
  for (const config of [text, closed]) {
    throws(() => planChange(hostOf("codex"), config, "alsofake", PROGRAM), /is written in a form .* by hand/);
  }
});

test("Codex: a table with a subtable, and values of several lines, is replaced", () => {
  const codex = hostOf("codex");
  const text =
    `[mcp_servers."weather"]\ncommand = "a" # was b\nargs = [\n  "x", # first\n]\n\n[mcp_servers.weather.env]\nA = "1"\n\n[tui]\nx = 1979-05-27\n`;
  const { after } = planChange(codex, text, "weather", OTHER);
  strictEqual(
    after,
    `[mcp_servers."weather"]\ncommand = "/usr/bin/bun"\nargs = ["/work/cli.js"]\nenv = { LEVEL = "3" }\n\n[tui]\nx = 1979-05-27\n`,
  );
});

test("VS Code: a secret is an input that is asked for, once", () => {
  const vscode = hostOf("vscode");
  const secret: HostServer = { ...PROGRAM, secrets: ["API_KEY"] };
  const config = CONFIGS.find(({ host }) => host === "vscode")?.text ?? "";
  const { after } = planChange(vscode, config, "weather", secret);
  const { inputs } = parseConfig(vscode, after) as { inputs: readonly { readonly id: string }[] };
  deepStrictEqual(inputs.map(({ id }) => id), ["perplexity-key", "weather-api-key"]);
  match(after, /"API_KEY": "\$\{input:weather-api-key\}"/);
  ok(after.includes("// asked for once"));
  strictEqual(planChange(vscode, after, "weather", secret).after, after);
});

test("each host has one form for secrets, or says that it has none", () => {
  const secret: HostServer = { ...PROGRAM, secrets: ["API_KEY"] };
  const forms = Object.fromEntries(HOSTS.map((host) => {
    try {
      const { env, env_vars, env_keys } = host.toEntry(secret, "weather");
      return [host.id, (env as Record<string, string>)?.["API_KEY"] ?? env_vars ?? env_keys];
    } catch (thrown) {
      return [host.id, (thrown as Error).message];
    }
  }));
  deepStrictEqual(forms, {
    "claude-desktop": "Cannot refer to API_KEY in Claude Desktop: its file has values only; give one: --env API_KEY=…",
    "claude-code": "${API_KEY}",
    cursor: "${env:API_KEY}",
    vscode: "${input:weather-api-key}",
    codex: ["API_KEY"],
    gemini: "${API_KEY}",
    windsurf: "${env:API_KEY}",
    zed: "Cannot refer to API_KEY in Zed: its file has values only; give one: --env API_KEY=…",
    goose: ["API_KEY"],
  });
});

test("a URL has the member of each host; Claude Desktop refuses it", () => {
  const shapes = Object.fromEntries(
    HOSTS.filter(({ id }) => id !== "claude-desktop").map((host) => [host.id, host.toEntry(REMOTE, "x")]),
  );
  const { url, headers } = REMOTE as { url: string; headers: Record<string, string> };
  deepStrictEqual(shapes, {
    "claude-code": { type: "http", url, headers },
    cursor: { url, headers },
    vscode: { type: "http", url, headers },
    codex: { url, http_headers: headers },
    gemini: { httpUrl: url, headers },
    windsurf: { serverUrl: url, headers },
    zed: { url, headers },
    goose: { type: "streamable_http", enabled: true, uri: url, headers },
  });
  throws(
    () => hostOf("claude-desktop").toEntry(REMOTE, "x"),
    /Cannot add https:.* to Claude Desktop: .* as a connector/,
  );
});

test("commas in comments after the last server are no commas, and many comments are read once", () => {
  const cursor = hostOf("cursor");
  const [one, other] = ['"one": {"command": "x"}', '{"command": "y", "args": []}'];
  for (
    const tail of [
      " // one, two\n",
      " /* , */ // ,\n",
      ` ${"/".repeat(70)}, x\n`,
      `${" /* , */".repeat(40)}\n`,
      `${" /* x */\n// y,\n".repeat(5_000)}`,
      ", // one\n",
    ]
  ) {
    const text = `{"mcpServers": {${one}${tail}}}`;
    const { after } = planChange(cursor, text, "two", { command: "y", args: [] });
    deepStrictEqual(JSON.parse(JSON.stringify(parseConfig(cursor, after)["mcpServers"])), {
      one: { command: "x" },
      two: JSON.parse(other),
    });
    ok(after.includes(tail.trim().replace(/^,/, "")), "the comments stay");
  }
});
