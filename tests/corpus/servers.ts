/**
 * Start-up of the servers of this folder's package.json. None of them connects anywhere to list its tools; the credentials
 * have the right form and no meaning.
 *
 * @module
 */

/** Environment variables of all servers. */
export const CORPUS_ENV: Readonly<Record<string, string>> = {
  AIRTABLE_API_KEY: "patx.y",
  ATLASSIAN_API_TOKEN: "x",
  ATLASSIAN_SITE_NAME: "x",
  ATLASSIAN_USER_EMAIL: "ada@example.com",
  BRAVE_API_KEY: "x",
  CIRCLECI_TOKEN: "x",
  DO_NOT_TRACK: "1",
  ES_API_KEY: "x",
  ES_URL: "http://127.0.0.1:9",
  EXA_API_KEY: "x",
  FIGMA_API_KEY: "x",
  FIRECRAWL_API_KEY: "fc-x",
  GITHUB_PERSONAL_ACCESS_TOKEN: "x",
  GITLAB_PERSONAL_ACCESS_TOKEN: "x",
  GOOGLE_MAPS_API_KEY: "x",
  MAPBOX_ACCESS_TOKEN: "pk.eyJ1IjoieCJ9.x",
  MDB_MCP_CONNECTION_STRING: "mongodb://127.0.0.1:9",
  MDB_MCP_TELEMETRY: "disabled",
  NOTION_TOKEN: "ntn_x",
  OPENAPI_MCP_HEADERS: "{}",
  PRIVATE_APP_ACCESS_TOKEN: "pat-x",
  SENTRY_ACCESS_TOKEN: "x",
  SLACK_BOT_TOKEN: "xoxb-x",
  SLACK_TEAM_ID: "T1",
  TAVILY_API_KEY: "tvly-x",
  VARIFLIGHT_API_KEY: "x",
};

/** Arguments, by package; none for the others. */
export const CORPUS_ARGS: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/server-filesystem": ["."],
  "@playwright/mcp": ["--headless", "--caps=vision,pdf,testing,tracing"],
  "@sentry/mcp-server": ["--access-token=x", "--host=sentry.io"],
  "@twilio-alpha/mcp": ["AC00000000000000000000000000000000/SK00000000000000000000000000000000:x"],
  "figma-developer-mcp": ["--stdio"],
};
