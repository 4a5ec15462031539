/**
 * The page of messages: the sentences of errors and log lines, as the sources have them, with the page that explains what they are about. A
 * reader who searches for a message finds its section.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { NAV } from "./nav.mjs";

/** The checked-in list, which `node scripts/messages.mjs` writes. */
const MESSAGES = new URL("../../tests/docs/messages.txt", import.meta.url);

/** Beginnings of source paths, the longest that fits counts: the heading, the page of `docs/`, and a section of it. */
const FAMILIES = [
  ["apps/cli/", "The command line", "cli.md"],
  ["apps/cli/migrate/", "toolwire migrate", "migrate.md"],
  ["apps/cli/conformance/", "toolwire conformance", "conformance-suite.md"],
  ["apps/cli/packaging/", "Packages of servers", "packaging.md"],
  ["apps/cli/hosts/", "Hosts", "cli.md#hosts"],
  ["apps/cli/inspect/", "The console", "console.md"],
  ["src/client/", "Calls", "client.md"],
  ["src/http_client/", "Connections of a client", "client.md"],
  ["src/console/", "The console", "console.md"],
  ["src/core/", "Tools and calls", "tools.md"],
  ["src/core/content/", "Resources and prompts", "resources.md"],
  ["src/core/dispatch/answers/", "Answers within a budget", "tools.md#answers-within-a-budget"],
  ["src/core/dispatch/questions/", "Questions", "questions.md"],
  ["src/core/json_schema/", "Schemas", "tools.md"],
  ["src/core/keys/", "Keys and tokens", "tokens.md"],
  ["src/core/schema/", "Schemas", "tools.md"],
  ["src/core/token/", "Keys and tokens", "tokens.md"],
  ["src/inspection/", "Recordings", "cli.md#record-and-replay"],
  ["src/integrations/agents/", "Agents", "agents.md"],
  ["src/integrations/apps/", "MCP Apps", "apps.md"],
  ["src/integrations/auth/", "Auth", "auth.md"],
  ["src/integrations/decisions/", "Policies and records", "policies.md"],
  ["src/integrations/middleware/", "Middleware", "middleware.md"],
  ["src/integrations/oauth/", "OAuth", "oauth.md"],
  ["src/integrations/openapi/", "OpenAPI", "openapi.md"],
  ["src/integrations/otel/", "Traces and metrics", "observability.md"],
  ["src/integrations/packaging/", "Packages of servers", "packaging.md"],
  ["src/integrations/redis/", "Redis", "guides/many-replicas.md"],
  ["src/integrations/sign_in/", "Sign-in", "sign-in.md"],
  ["src/sandbox/", "Code mode", "code-mode.md"],
  ["src/server/code_mode/", "Code mode", "code-mode.md"],
  ["src/integrations/skills/", "Skills", "skills.md"],
  ["src/integrations/temporal/", "Temporal", "temporal.md"],
  ["src/integrations/tokenizer/", "Counting tokens", "agents.md"],
  ["src/integrations/webhooks/", "Webhooks", "durable.md#webhooks-when-work-ends"],
  ["src/integrations/webmcp/", "WebMCP", "agents.md"],
  ["src/internal/", "Options and packages", "serving.md"],
  ["src/jobs/", "Promises and jobs", "promises.md"],
  ["src/jobs/engines/", "Engines", "engines.md"],
  ["src/jobs/operators/", "Jobs", "jobs.md"],
  ["src/jobs/schedules/", "Schedules", "durable.md#schedules"],
  ["src/runtime/", "Serving", "serving.md"],
  ["src/server/", "Servers", "serving.md"],
  ["src/server/compose/", "Composition", "composition.md"],
  ["src/server/discovery/", "Discovery", "discovery.md"],
  ["src/testing/", "Tests", "testing.md"],
  ["src/testing/conformance/", "The conformance suite", "conformance-suite.md"],
  ["src/wires/framing/", "Messages of wires", "connections.md"],
  ["src/wires/grpc/", "gRPC", "grpc.md"],
  ["src/wires/mcp/", "MCP", "mcp.md"],
  ["src/wires/mcp/client/", "MCP client", "mcp-client.md"],
  ["src/wires/mcp_lite/", "MCP-lite", "mcp-lite-http.md"],
  ["src/wires/mcp_lite/websocket/", "WebSocket", "websocket.md"],
  ["src/wires/memory/", "Calls in one process", "testing.md"],
  ["src/wires/rest/", "REST", "rest.md"],
  ["src/wires/webtools/", "Webtools", "webtools.md"],
];

/** The page, as Markdown. @throws {Error} If messages of a file belong to no page. */
export function renderMessages() {
  const families = new Map();
  for (const section of readFileSync(MESSAGES, "utf8").split("\n\n")) {
    const [file = "", ...messages] = section.trim().split("\n");
    const [title, page] = familyOf(file);
    const family = families.get(title) ?? families.set(title, { page, messages: new Set() }).get(title);
    for (const message of messages.filter(isSentence)) family.messages.add(shownOf(message));
  }
  const titles = new Map(NAV.flatMap(({ pages }) => pages).map(({ page, title }) => [page, title]));
  const sections = [...families].toSorted(([left], [right]) => left.localeCompare(right)).map(
    ([title, { page, messages }]) =>
      `## ${title}\n\nThe page [${titles.get(page.split("#")[0])}](/${page}) explains them.\n\n${
        [...messages].map((message) => `- ${message}`).join("\n")
      }\n`,
  );
  return `# Messages

You have a message of an error, or a line of a log, and want to know what it is about. These are all of them, by subject, with the page that explains the subject.
\`…\` is what differs from case to case. An error of a call also has a code, and [each code has a section](/errors.md#codes-of-refusals).

${sections.join("\n")}`;
}

/** The heading and the page of the messages of a source. */
export function familyOf(file) {
  const [found] = FAMILIES.filter(([prefix]) => file.startsWith(prefix)).toSorted(([left], [right]) =>
    right.length - left.length
  );
  if (found === undefined) {
    throw new Error(`${file} has messages, and FAMILIES of apps/site/messages.mjs has no page for it`);
  }
  return [found[1], found[2]];
}

/** Whether a message has words to search for. */
const isSentence = (message) => (message.replaceAll(/\{[^}]*\}/g, "").match(/[a-z]{3,}/g) ?? []).length >= 2;

/** A message as code, whose computed parts are dots. */
function shownOf(message) {
  let shown = message.trim();
  for (let before = ""; before !== shown;) [before, shown] = [shown, shown.replaceAll(/\{[^{}]*\}/g, "…")];
  return `\`\` ${shown.replaceAll("\\n", " ").replaceAll(/…{2,}/g, "…")} \`\``;
}
