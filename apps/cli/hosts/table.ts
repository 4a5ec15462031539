/** The hosts: configuration file for each system and scope, shape of an entry, own command, deep link. */
import { Buffer } from "node:buffer";
import { entryShape, envReference, noReference, type Placeholder, shellReference } from "./entries.ts";
import { type Host, type HostEntry, type HostServer, isProgram } from "./host.ts";
import { claudeDesktopFile, inAppData, inConfigHome, inHome, inProject } from "./paths.ts";

const claudeDesktop: Host = {
  id: "claude-desktop",
  title: "Claude Desktop",
  format: "jsonc",
  member: "mcpServers",
  file: (scope, system) => (scope === "user" ? claudeDesktopFile(system) : undefined),
  toEntry: entryShape("Claude Desktop", {}),
  next: "Restart Claude Desktop",
};

const claudeCode: Host = {
  id: "claude-code",
  title: "Claude Code",
  format: "jsonc",
  member: "mcpServers",
  file: (scope, system) => (scope === "project" ? inProject(system, ".mcp.json") : inHome(system, ".claude.json")),
  toEntry: entryShape("Claude Code", { url: (url) => ({ type: "http", url }), placeholder: shellReference }),
  toCommand: (server, name) =>
    isProgram(server)
      ? ["claude", "mcp", "add", ...envFlags("--env", server.env), name, "--", server.command, ...server.args]
      : ["claude", "mcp", "add", "--transport", "http", name, server.url],
  next: "Start a new session of Claude Code; /mcp shows the server",
};

const cursorEntry = entryShape("Cursor", { url: (url) => ({ url }), placeholder: envReference });

const cursor: Host = {
  id: "cursor",
  title: "Cursor",
  format: "jsonc",
  member: "mcpServers",
  file: (scope, system) => scope === "local" ? undefined : inScope(scope, system, ".cursor", "mcp.json"),
  toEntry: cursorEntry,
  toLink: (server, name) => {
    const config = encodeURIComponent(Buffer.from(JSON.stringify(cursorEntry(server))).toString("base64"));
    return `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`;
  },
  next: "Cursor reads the file at once; Settings, MCP shows the server",
};

const vscode: Host = {
  id: "vscode",
  title: "VS Code",
  format: "jsonc",
  member: "servers",
  file: (scope, system) =>
    scope === "user"
      ? inAppData(system, "Code", "User", "mcp.json")
      : scope === "project"
      ? inProject(system, ".vscode", "mcp.json")
      : undefined,
  toEntry: vscodeEntry,
  toLists: (server, name) => {
    const secrets = isProgram(server) ? server.secrets ?? [] : server.bearerEnv === undefined ? [] : [server.bearerEnv];
    const inputs = secrets.map((variable) => ({
      type: "promptString",
      id: inputId(name, variable),
      description: variable,
      password: true,
    }));
    return inputs.length > 0 ? { inputs } : {};
  },
  toCommand: (server, name) => ["code", "--add-mcp", JSON.stringify({ name, ...vscodeEntry(server, name) })],
  toLink: (server, name) =>
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...vscodeEntry(server, name) }))}`,
  next: "VS Code starts the server when its tools are used; MCP: List Servers shows it",
};

/** Secrets are asked for once by VS Code, and kept by it. */
function vscodeEntry(server: HostServer, name: string): HostEntry {
  const placeholder: Placeholder = (variable) => `\${input:${inputId(name, variable)}}`;
  return entryShape("VS Code", {
    program: { type: "stdio" },
    url: (url) => ({ type: "http", url }),
    placeholder,
    hasCwd: true,
  })(server);
}

function inputId(name: string, variable: string): string {
  return `${name}-${variable}`.toLowerCase().replaceAll("_", "-");
}

const codex: Host = {
  id: "codex",
  title: "Codex",
  format: "toml",
  member: "mcp_servers",
  file: (scope, system) => scope === "local" ? undefined : inScope(scope, system, ".codex", "config.toml"),
  toEntry: (server) => {
    if (!isProgram(server)) {
      const { url, headers, bearerEnv } = server;
      return {
        url,
        ...(headers === undefined ? {} : { http_headers: headers }),
        ...(bearerEnv === undefined ? {} : { bearer_token_env_var: bearerEnv }),
      };
    }
    const { secrets = [], ...program } = server;
    const entry = entryShape("Codex", { hasCwd: true })(program);
    return secrets.length > 0 ? { ...entry, env_vars: secrets } : entry;
  },
  toCommand: (server, name) =>
    isProgram(server)
      ? ["codex", "mcp", "add", ...envFlags("--env", server.env), name, "--", server.command, ...server.args]
      : ["codex", "mcp", "add", name, "--url", server.url],
  next: "Start a new session of Codex; /mcp shows the server",
};

const gemini: Host = {
  id: "gemini",
  title: "Gemini CLI",
  format: "jsonc",
  member: "mcpServers",
  file: (scope, system) => scope === "local" ? undefined : inScope(scope, system, ".gemini", "settings.json"),
  toEntry: entryShape("Gemini CLI", {
    url: (url) => ({ httpUrl: url }),
    placeholder: shellReference,
    hasCwd: true,
  }),
  toCommand: (server, name) =>
    isProgram(server)
      ? ["gemini", "mcp", "add", ...envFlags("-e", server.env), name, server.command, ...server.args]
      : ["gemini", "mcp", "add", "--transport", "http", name, server.url],
  next: "Start a new session of Gemini CLI; /mcp shows the server",
};

const windsurf: Host = {
  id: "windsurf",
  title: "Windsurf",
  format: "jsonc",
  member: "mcpServers",
  file: (scope, system) => scope === "user" ? inHome(system, ".codeium", "windsurf", "mcp_config.json") : undefined,
  toEntry: entryShape("Windsurf", { url: (serverUrl) => ({ serverUrl }), placeholder: envReference }),
  next: "Refresh the list of servers in the settings of Windsurf",
};

const zed: Host = {
  id: "zed",
  title: "Zed",
  format: "jsonc",
  member: "context_servers",
  file: (scope, system) => {
    if (scope === "local") return undefined;
    if (scope === "project") return inProject(system, ".zed", "settings.json");
    return system.platform === "win32"
      ? inAppData(system, "Zed", "settings.json")
      : inConfigHome(system, "zed", "settings.json");
  },
  toEntry: entryShape("Zed", { url: (url) => ({ url }) }),
  next: "Zed reads the file at once; the settings of the Agent Panel show the server",
};

const goose: Host = {
  id: "goose",
  title: "Goose",
  format: "yaml",
  member: "extensions",
  file: (scope, system) =>
    scope !== "user"
      ? undefined
      : system.platform === "win32"
      ? inAppData(system, "Block", "goose", "config", "config.yaml")
      : inConfigHome(system, "goose", "config.yaml"),
  toEntry: (server) => {
    if (!isProgram(server)) {
      if (server.bearerEnv !== undefined) throw noReference("Goose", server.bearerEnv, "write the token with --token");
      return { type: "streamable_http", enabled: true, uri: server.url, headers: server.headers ?? {} };
    }
    const { secrets = [], env = {}, command, args } = server;
    return { type: "stdio", enabled: true, cmd: command, args, envs: env, env_keys: secrets, timeout: 300 };
  },
  toLink: (server, name) => {
    if (!isProgram(server)) {
      throw new TypeError(
        `Cannot make a link for ${server.url}: links of Goose start programs. Print the entry: --print`,
      );
    }
    const query = new URLSearchParams([
      ["cmd", server.command],
      ...server.args.map((arg) => ["arg", arg]),
      ...["id", "name", "description"].map((member) => [member, name]),
    ]);
    return `goose://extension?${String(query).replaceAll("+", "%20")}`;
  },
  next: "Start a new session of Goose",
};

/** All hosts that `toolwire install` can configure, in the order of messages and pages. */
export const HOSTS: readonly Host[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  codex,
  gemini,
  windsurf,
  zed,
  goose,
];

function inScope(scope: "user" | "project", system: Parameters<Host["file"]>[1], ...names: readonly string[]): string {
  return scope === "user" ? inHome(system, ...names) : inProject(system, ...names);
}

function envFlags(flag: string, env: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(env).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}
