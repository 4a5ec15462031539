/** The snippets of docs/mcp.md for hosts have the shapes of the table that `toolwire install` writes from. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseConfig, serversIn } from "../../apps/cli/hosts/change_config.ts";
import { canonical, fromEntry } from "../../apps/cli/hosts/entries.ts";
import type { Host, HostEntry, HostServer } from "../../apps/cli/hosts/host.ts";
import { HOSTS } from "../../apps/cli/hosts/table.ts";

const FENCES = { jsonc: "json", toml: "toml", yaml: "yaml" } as const;

/** The text from the title of a host to the next bold title. */
function sectionOf({ title }: Host): string {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
  const [, text = ""] = page.split(`\n**${title}** reads `);
  return text.split("\n**")[0] ?? "";
}

function fencesOf(section: string, language: string): string[] {
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);
}

/** The servers of the snippets, by name. */
function entriesOf(host: Host): [string, HostEntry][] {
  return fencesOf(sectionOf(host), FENCES[host.format]).flatMap((text) =>
    Object.entries(serversIn(parseConfig(host, text), host.member))
  );
}

for (const host of HOSTS.filter(({ format }) => format !== "yaml")) {
  test(`docs/mcp.md: the snippets for ${host.title} are what toolwire install writes`, () => {
    const entries = entriesOf(host);
    deepStrictEqual(entries.length, host.id === "claude-desktop" ? 1 : 2);
    for (const [name, entry] of entries) {
      const { env, headers, ...server } = fromEntry(entry, {}) as HostServer & { env?: unknown; headers?: unknown };
      ok(Object.keys({ ...env ?? {}, ...headers ?? {} }).length === 0);
      strictEqual(canonical(host.toEntry(server as HostServer, name)), canonical(entry));
    }
  });

  test(`docs/mcp.md: the commands of ${host.title} are those of the table`, () => {
    const lines = fencesOf(sectionOf(host), "sh").flatMap((text) => text.trim().split("\n"))
      .filter((line) => !line.startsWith("npx"));
    strictEqual(lines.length, host.id === "claude-code" || host.id === "codex" ? 2 : 0);
    const word = / (https?:\S+)$/;
    for (const line of lines) {
      const url = word.exec(line)?.[1];
      const [command = "", ...args] = line.split(" -- ")[1]?.split(" ") ?? [];
      const server = url === undefined ? { command, args } : { url };
      strictEqual(host.toCommand?.(server, url === undefined ? "math" : "math-by-url").join(" "), line);
    }
  });
}

test("docs/cli.md names the files of each host", () => {
  const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const system = { platform: "linux", home: "~", cwd: ".", env: {}, list: () => [] };
  for (const host of HOSTS.filter(({ format }) => format !== "yaml")) {
    const [user, project] = [host.file("user", system), host.file("project", system)];
    const cell = project === undefined ? "–" : `\`${project}\``;
    ok(page.includes(`| \`${host.id}\` | \`${user}\` | ${cell} |`), host.id);
  }
});
