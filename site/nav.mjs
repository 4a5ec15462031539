/**
 * All pages of the documentation: groups, titles and one sentence for each page. The sidebar of the site, the descriptions of its
 * pages and `docs/README.md` are made of this list. `node site/nav.mjs --write` writes `docs/README.md`.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Page
 * @property {string} page File, relative to `docs/`.
 * @property {string} title Short title for lists; the heading of the page may be longer.
 * @property {string} description One sentence.
 *
 * @typedef {object} Group
 * @property {string} title
 * @property {readonly Page[]} pages
 * @property {string} [index] The only page that `docs/README.md` lists; it has a list of the others.
 */

/** @type {(page: string, title: string, description: string) => Page} */
const page = (page, title, description) => ({ page, title, description });

/** @type {readonly Group[]} */
export const NAV = [
  {
    title: "Start",
    pages: [
      page(
        "getting-started.md",
        "Getting started",
        "Install, write a server and call it.",
      ),
      page(
        "concepts.md",
        "Concepts",
        "The words, and what happens to a slow call.",
      ),
      page(
        "tools.md",
        "Defining tools",
        "Schemas, streamed pieces, declared errors, annotations.",
      ),
      page("serving.md", "Serving", "createServer() and serve(), on every runtime."),
      page(
        "client.md",
        "Calling",
        "createClient(): typed calls, streams, outcomes, retries.",
      ),
      page(
        "cli.md",
        "The command line",
        "List, call, check, record, install and pack servers.",
      ),
      page(
        "examples.md",
        "Examples",
        "Eight servers over real data, and how to run them.",
      ),
      page(
        "comparison.md",
        "Comparison",
        "Five libraries, with sources; when not to use Toolwire.",
      ),
    ],
  },
  {
    title: "Guides",
    pages: [
      page(
        "guides/wrap-an-api.md",
        "Wrap an API",
        "With or without an OpenAPI document.",
      ),
      page(
        "guides/long-job.md",
        "A job that takes an hour",
        "A budget, an engine and a token that any replica redeems.",
      ),
      page(
        "guides/ask-the-user.md",
        "Ask the user",
        "A form in the middle of a call, without a session.",
      ),
      page(
        "guides/hosts.md",
        "Put it behind Claude, Cursor, VS Code",
        "From a module to a host, in three commands.",
      ),
      page("guides/many-replicas.md", "Many replicas", "What replicas share, so that any answers any request."),
      page("testing.md", "Test it", "Without a network and without waiting."),
      page("migrate.md", "Move by command", "toolwire migrate rewrites servers."),
      page(
        "coming-from-the-official-sdk.md",
        "Move from the official SDK",
        "Versions 1 and 2, feature by feature.",
      ),
      page(
        "coming-from-mcp-lite.md",
        "Move from mcp-lite",
        "The npm package, feature by feature.",
      ),
    ],
  },
  {
    title: "Concepts",
    pages: [
      page("errors.md", "Errors", "Declared failures, errors of a call, all codes."),
      page(
        "promises.md",
        "Promises",
        "Signed tokens for work that outlives its caller's wait.",
      ),
      page(
        "durable.md",
        "Durable work",
        "Work that sleeps, waits, and outlives its process.",
      ),
      page(
        "engines.md",
        "Engines",
        "Stores of promised work: memory, SQLite, BullMQ, Durable Objects.",
      ),
      page("temporal.md", "Temporal", "Tools whose work is a Temporal workflow."),
      page("tokens.md", "Tokens", "Format, keys and rotation of keys."),
      page(
        "questions.md",
        "Asking",
        "Questions to the caller; the server stores nothing.",
      ),
      page("caller-state.md", "Caller state", "Signed state, which the caller keeps for the server."),
      page("middleware.md", "Middleware", "Code around calls; limits, caches, logging."),
      page("composition.md", "Composition", "Servers made of servers by group, mount and gateway."),
      page("discovery.md", "Discovery", "Models search among many tools, and load few."),
      page("resources.md", "Resources", "Data with URIs, which clients read and subscribe to."),
      page("prompts.md", "Prompts", "Templates of messages, chosen by name."),
      page("apps.md", "MCP Apps", "Pages that hosts show for the calls of a tool."),
      page(
        "skills.md",
        "Skills",
        "Instructions for models, served over MCP with digests.",
      ),
    ],
  },
  {
    title: "Wires",
    pages: [
      page("mcp.md", "MCP", "MCP over HTTP and stdio, every revision on one path."),
      page("mcp-client.md", "MCP client", "Typed calls to any MCP server."),
      page(
        "mcp-lite-http.md",
        "MCP-lite over HTTP",
        "Endpoints and messages, for clients in other languages.",
      ),
      page("grpc.md", "gRPC", "With Connect, gRPC-Web, health and reflection."),
      page("websocket.md", "WebSocket", "MCP-lite over one open connection."),
      page("rest.md", "REST", "For curl and for generated clients."),
      page("webtools.md", "Webtools", "Plain URLs, with versions, configuration and pins."),
      page("openapi.md", "OpenAPI", "Tools from a document, and a document of a server."),
      page(
        "agents.md",
        "Agents",
        "Tools for vendors' APIs, AI SDK, LangChain.js, Mastra, TanStack AI.",
      ),
    ],
  },
  {
    title: "Operate",
    pages: [
      page("deployment.md", "Deployment", "Replicas, proxies, keys, containers, shutdown and health checks."),
      page("auth.md", "Auth", "Bearer tokens, JWT, scopes, visibility of tools."),
      page(
        "sign-in.md",
        "Sign-in",
        "Users sign in with Google, GitHub, Entra and others.",
      ),
      page("oauth.md", "OAuth", "A client obtains, sends and renews its tokens."),
      page("jobs.md", "Jobs", "List, inspect, retry, cancel and purge deferred work."),
      page("console.md", "Console", "A page with the server's tools, calls and jobs."),
      page("observability.md", "Observability", "Logs, traces and metrics of a server."),
      page("packaging.md", "Packages of servers", ".mcpb bundles for hosts, and server.json for the registry."),
    ],
  },
  {
    title: "Reference",
    pages: [
      page("limits.md", "Limits", "Sizes, times, rates, defaults, errors."),
      page("security.md", "Security", "What is trusted and checked, with tests."),
      page("guarantees.md", "Guarantees", "What holds under attack, with counted cases."),
      page("spec.md", "Specification", "Rules of MCP-lite, and errors on each wire."),
      page("conformance.md", "Conformance", "Results of the official MCP suites."),
      page(
        "conformance-suite.md",
        "The conformance suite",
        "Checks of any server of MCP-lite or Webtools.",
      ),
    ],
  },
  {
    title: "Performance",
    pages: [page("performance.md", "Performance", "Measurements, and how to repeat them.")],
  },
  {
    title: "Contribute",
    pages: [
      page("../CONTRIBUTING.md", "Contributing", "Commands, the layout of the source, and habits."),
      page(
        "architecture.md",
        "Architecture",
        "Layers, contracts, how to add a wire or an option.",
      ),
      page("style.md", "Style", "How code, pages and error messages are written."),
      page("tests.md", "Where the tests are", "Folders of tests, and how to run one."),
      page("testing-the-sdk.md", "Testing the SDK", "Fuzzing and soak tests of Toolwire itself."),
    ],
  },
  {
    title: "Decisions",
    index: "decisions/README.md",
    pages: [
      page("decisions/README.md", "Decisions", "One record for each choice."),
      page(
        "decisions/values-not-exceptions.md",
        "Results are values",
        "Below the client nothing throws; errors are return values.",
      ),
      page("decisions/continuations.md", "Continuations", "A handler that asked its caller runs again from its start."),
      page(
        "decisions/promise-tokens.md",
        "Promise tokens",
        "A promise token proves itself; no table of tokens exists.",
      ),
      page("decisions/canonical-base64url.md", "Canonical base64url", "A token has exactly one spelling."),
      page("decisions/hmac.md", "HMAC by @noble/hashes", "A synchronous library signs tokens, not WebCrypto."),
      page("decisions/deadline-lanes.md", "Deadline lanes", "One timer for each distinct duration."),
      page(
        "decisions/one-hop.md",
        "One promise hop",
        "Steps of a call are those of a future; deadlines are set after the turn.",
      ),
      page("decisions/bodies-as-bytes.md", "Bodies as bytes", "Invalid UTF-8 is rejected, at a measured cost."),
      page(
        "decisions/grpc-codec.md",
        "A codec for gRPC",
        "Two messages are read and written without reflection, beside protobuf-es.",
      ),
      page("decisions/connect.md", "Connect", "@connectrpc/connect serves Connect and gRPC-Web, and not native gRPC."),
      page(
        "decisions/typed-field-numbers.md",
        "Field numbers",
        "Numbers of typed gRPC fields are hashes of name and type.",
      ),
      page("decisions/compiled-checks.md", "Compiled checks", "Arguments that surely fit skip the schema library."),
      page(
        "decisions/valibot-json-schema.md",
        "JSON Schema",
        "valibot's converter makes JSON Schema; Toolwire adds rules only.",
      ),
      page("decisions/sse-decoder.md", "SSE decoder", "A library decodes Server-Sent Events in every client."),
      page("decisions/bullmq.md", "BullMQ", "Distributed jobs use an existing queue."),
      page(
        "decisions/bullmq-leases.md",
        "BullMQ's leases",
        "BullMQ's lock is the lease; attempts and notifications are in records.",
      ),
      page(
        "decisions/job-protocol.md",
        "The job protocol",
        "A test covers all orders of writes and faults within small bounds.",
      ),
      page("decisions/tilde-members.md", "Tilde members", "The public API has values with ~ members, not classes."),
      page("decisions/one-package.md", "One package", "One version, many entry points."),
      page("decisions/one-suite-over-wires.md", "One suite", "The same tests run on every wire."),
    ],
  },
];

/** `docs/README.md`, as a text. */
export function renderIndex() {
  const groups = NAV.map(({ title, pages, index }) => {
    const listed = index === undefined ? pages : pages.filter(({ page }) => page === index);
    const rows = listed.map(({ page, title, description }) => `| [${title}](${page}) | ${description} |`);
    return `## ${title}\n\n| page | |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Documentation

The examples on these pages run as tests; [Examples](examples.md#a-snippet-of-these-pages) says how to run one.
\`node site/nav.mjs --write\` writes this page from \`site/nav.mjs\`.

${groups.join("\n")}`;
}

const index = new URL("../docs/README.md", import.meta.url);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--write")) writeFileSync(index, renderIndex());
  else if (readFileSync(index, "utf8") !== renderIndex()) {
    console.error("docs/README.md differs from site/nav.mjs; run: node site/nav.mjs --write");
    process.exitCode = 1;
  }
}
