/** Configuration files as people have them: comments, members of other programs, trailing commas, several styles. */

/** One file of a host, with what must survive a change. */
export interface ConfigFile {
  readonly host: string;
  readonly what: string;
  readonly text: string;
  /** Texts that are still there after a change. */
  readonly kept: readonly string[];
}

const claudeDesktop = `{
  "globalShortcut": "Cmd+Shift+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Desktop"]
    },
    "sqlite": { "command": "uvx", "args": ["mcp-server-sqlite", "--db-path", "/Users/ada/test.db"] }
  },
  "isUsingBuiltInNodeForMcp": true
}
`;

const claudeCode = `{
  "numStartups": 412,
  "tipsHistory": { "shift-enter": 12, "memory-command": 300 },
  "projects": {
    "/home/ada/shop": {
      "allowedTools": [],
      "mcpServers": { "local-only": { "type": "stdio", "command": "node", "args": ["x.js"], "env": {} } },
      "hasTrustDialogAccepted": true
    }
  },
  "oauthAccount": { "emailAddress": "ada@example.com" }
}`;

const cursor = `{
\t"mcpServers": {
\t\t// issues, read only
\t\t"github": {
\t\t\t"url": "https://api.githubcopilot.com/mcp/",
\t\t\t"headers": { "Authorization": "Bearer \${env:GITHUB_TOKEN}" },
\t\t\t"disabled": true, /* too slow */
\t\t}, // the last one
\t\t// "old": { "command": "false" }
\t},
}
`;

const vscode = `// Shared by the team.
{
    "inputs": [
        // asked for once
        { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true }
    ],
    "servers": {
        "perplexity": {
            "type": "stdio",
            "command": "npx",
            "args": ["-y", "server-perplexity-ask"],
            "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}" },
            "dev": { "watch": "build/**/*.js" }
        }
    }
    /* end */
}
`;

const codex = `# ~/.codex/config.toml
model = "gpt-5.2-codex"   # the default
approval_policy = "on-request"
notify = [
  "python3",
  "/home/ada/notify.py", # [mcp_servers.fake]
]
prompt = """
[mcp_servers.alsofake]
command = "no"
"""

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
startup_timeout_sec = 20.0 # slow

[mcp_servers.docs.env]
TOKEN = "secret"

# trusted folders
[projects."/home/ada/shop"]
trust_level = "trusted"

[tui]
notifications = true
`;

const gemini = `{
  "theme": "GitHub",
  "selectedAuthType": "oauth-personal",
  // tools that run without a question
  "coreTools": ["ReadFileTool", "GlobTool"],
  "mcpServers": {}
}
`;

const windsurf = `{ "mcpServers": { "figma": { "serverUrl": "https://mcp.figma.com/mcp" } } }`;

const zed = `// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "ui_font_size": 16,
  "theme": {
    "mode": "system", // follows the desktop
    "light": "One Light",
    "dark": "One Dark",
  },
  "context_servers": {
    "postgres": {
      "source": "custom",
      "command": { "path": "pg-mcp", "args": ["postgresql://localhost/shop"], "env": {} },
    },
    // more to come
  },
  "languages": { "Go": { "tab_size": 8 } },
}
`;

export const CONFIGS: readonly ConfigFile[] = [
  { host: "claude-desktop", what: "two servers and settings", text: claudeDesktop, kept: ["isUsingBuiltInNodeForMcp"] },
  { host: "claude-code", what: "state of the program, no end of line", text: claudeCode, kept: ["oauthAccount"] },
  {
    host: "cursor",
    what: "tabs, comments and trailing commas",
    text: cursor,
    kept: ["// issues, read only", "/* too slow */", "}, // the last one", '// "old": { "command": "false" }'],
  },
  { host: "vscode", what: "inputs, comments, four spaces", text: vscode, kept: ["// asked for once", "/* end */"] },
  {
    host: "codex",
    what: "tables, comments, lines that look like tables",
    text: codex,
    kept: ["# the default", "# [mcp_servers.fake]", "startup_timeout_sec = 20.0 # slow", "# trusted folders"],
  },
  { host: "gemini", what: "an empty list of servers", text: gemini, kept: ["// tools that run without a question"] },
  { host: "windsurf", what: "one line", text: windsurf, kept: ["https://mcp.figma.com/mcp"] },
  { host: "zed", what: "comments before the object", text: zed, kept: ["// Zed settings", "// more to come"] },
];
