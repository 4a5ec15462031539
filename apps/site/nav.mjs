/**
 * All pages of the documentation: groups, titles and one sentence for each page. A page is of one kind: a tutorial, a guide, a concept or a
 * reference (docs/style.md has a template of each). The sidebar of the site, the descriptions of its
 * pages and `docs/README.md` are made of this list. `node apps/site/nav.mjs --write` writes `docs/README.md`.
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
        "Install; write and call a server.",
      ),
      page(
        "features.md",
        "What there is",
        "All wires and features, as a list.",
      ),
      page(
        "stories.md",
        "Two stories, recorded",
        "A crash and a gateway, in a terminal.",
      ),
      page("examples.md", "Examples", "Eight servers over real data."),
      page(
        "comparison.md",
        "Comparison",
        "Five libraries; when not to use Toolwire.",
      ),
    ],
  },
  {
    title: "Tutorials",
    pages: [
      page(
        "tutorials/first-server.md",
        "Your first server",
        "Ten minutes: a tool, a mistake, a model that calls it.",
      ),
      page(
        "tutorials/support-desk.md",
        "A support desk with approvals",
        "SQLite, streaming, a person's yes, and the test of it.",
      ),
      page(
        "tutorials/night-work.md",
        "Work that takes a night",
        "Steps, a person's yes, and kill -9 in the middle.",
      ),
      page(
        "tutorials/company-api.md",
        "Your company's REST API as tools",
        "An OpenAPI document, each user's token, limits, budgets.",
      ),
      page(
        "tutorials/many-tools.md",
        "Two hundred tools and a model",
        "Search in place of a list, budgets, approvals.",
      ),
      page(
        "tutorials/production.md",
        "From a laptop to production",
        "nginx, three replicas, a crash, keys rotated, traces.",
      ),
    ],
  },
  {
    title: "Guides: build",
    pages: [
      page(
        "guides/wrap-an-api.md",
        "Wrap an API",
        "With or without an OpenAPI document.",
      ),
      page("openapi.md", "OpenAPI", "From and to a document."),
      page(
        "guides/long-job.md",
        "A job that takes an hour",
        "A budget, an engine, a token.",
      ),
      page(
        "guides/ask-the-user.md",
        "Ask the user",
        "A form in mid-call, without sessions.",
      ),
      page(
        "guides/return-a-picture.md",
        "Return a picture or a file",
        "Images for models, documents for people.",
      ),
      page(
        "guides/from-a-web-page.md",
        "Call tools from a web page",
        "Another origin, pieces, a stop button.",
      ),
      page(
        "credentials.md",
        "The user's credentials",
        "Cookies, bearer tokens, on to another API.",
      ),
      page("discovery.md", "Discovery", "Models search among many tools."),
      page(
        "code-mode.md",
        "Code mode",
        "Models write programs that call tools, with their caller's rights.",
      ),
      page("composition.md", "Composition", "Group, mount and gateway."),
      page("agents.md", "Agents", "AI SDK, LangChain.js, Mastra, TanStack AI."),
      page(
        "agent-frameworks.md",
        "Agent frameworks",
        "A program for each framework, and who approves, asks and searches there.",
      ),
      page(
        "guides/hosts.md",
        "Put it behind Claude, Cursor, VS Code",
        "From a module to a host.",
      ),
      page("apps.md", "MCP Apps", "Pages that hosts show."),
      page("skills.md", "Skills", "Instructions for models, with digests."),
      page("testing.md", "Test it", "Without a network and without waiting."),
    ],
  },
  {
    title: "Guides: operate",
    pages: [
      page(
        "deployment.md",
        "Deployment",
        "Replicas, proxies, keys, containers, shutdown.",
      ),
      page(
        "guides/many-replicas.md",
        "Many replicas",
        "What replicas have to share.",
      ),
      page("sign-in.md", "Sign-in", "By Google, GitHub, Entra and others."),
      page("oauth.md", "OAuth", "How a client gets tokens."),
      page("observability.md", "Observability", "Logs, traces and metrics."),
      page("jobs.md", "Jobs", "Inspect, retry, cancel, purge deferred work."),
      page("console.md", "Console", "Tools, calls and jobs in a page."),
      page("temporal.md", "Temporal", "Tools whose work is a workflow."),
      page(
        "packaging.md",
        "Packages of servers",
        ".mcpb bundles, and server.json.",
      ),
    ],
  },
  {
    title: "Guides: move here",
    pages: [
      page(
        "migrate.md",
        "Move by command",
        "toolwire migrate rewrites servers.",
      ),
      page(
        "coming-from-the-official-sdk.md",
        "Move from the official SDK",
        "Versions 1 and 2, feature by feature.",
      ),
      page(
        "coming-from-fastmcp.md",
        "Move from FastMCP",
        "The TypeScript package, feature by feature.",
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
      page("concepts.md", "Concepts", "The words; a slow call."),
      page("promises.md", "Promises", "Signed tokens for long work."),
      page("durable.md", "Durable work", "Work that outlives its process."),
      page("questions.md", "Asking", "Questions to the caller."),
      page(
        "runs-twice.md",
        "What may run twice",
        "Steps, handlers, keys, questions, webhooks, schedules.",
      ),
      page(
        "connections.md",
        "When a connection breaks",
        "By wire and revision; what survives.",
      ),
      page(
        "caller-state.md",
        "Caller state",
        "Signed state that the caller keeps.",
      ),
      page("tokens.md", "Tokens", "Format, keys, rotation."),
      page("security.md", "Security", "What is trusted and checked."),
    ],
  },
  {
    title: "Reference: program",
    pages: [
      page(
        "tools.md",
        "Defining tools",
        "Schemas, streamed pieces, declared errors.",
      ),
      page("serving.md", "Serving", "Create and start a server."),
      page("client.md", "Calling", "Typed calls, streams, outcomes, retries."),
      page("errors.md", "Errors", "Declared failures, errors, all codes."),
      page("middleware.md", "Middleware", "Limits, caches, logging."),
      page("auth.md", "Auth", "Bearer tokens, JWT, scopes, visibility."),
      page("policies.md", "Policies and records", "A decision before each call, a record after it."),
      page("engines.md", "Engines", "Memory, SQLite, BullMQ, Durable Objects."),
      page("resources.md", "Resources", "Data with URIs, for clients."),
      page("prompts.md", "Prompts", "Templates of messages."),
      page("mcp-client.md", "MCP client", "Typed calls to any MCP server."),
      page("cli.md", "The command line", "List, call, check, pack servers."),
    ],
  },
  {
    title: "Reference: wires",
    pages: [
      page("mcp.md", "MCP", "MCP over HTTP and stdio."),
      page("mcp-lite-http.md", "MCP-lite over HTTP", "Endpoints and messages."),
      page("rest.md", "REST", "For curl and generated clients."),
      page("grpc.md", "gRPC", "With Connect, gRPC-Web, health and reflection."),
      page("websocket.md", "WebSocket", "MCP-lite over one connection."),
      page(
        "webtools.md",
        "Webtools",
        "Plain URLs, versions, configuration, pins.",
      ),
    ],
  },
  {
    title: "Reference: facts",
    pages: [
      page("limits.md", "Limits", "Sizes, times, rates, defaults, errors."),
      page("guarantees.md", "Guarantees", "What holds under attack."),
      page("spec.md", "Specification", "MCP-lite, and errors on each wire."),
      page("conformance.md", "Conformance", "Results of MCP's suites."),
      page(
        "conformance-suite.md",
        "The conformance suite",
        "Checks servers of MCP-lite or Webtools.",
      ),
      page(
        "performance.md",
        "Performance",
        "Measurements, and how to repeat them.",
      ),
    ],
  },
  {
    title: "Contribute",
    pages: [
      page(
        "../CONTRIBUTING.md",
        "Contributing",
        "Commands, layout and habits.",
      ),
      page(
        "architecture.md",
        "Architecture",
        "Layers, contracts, how to add parts.",
      ),
      page(
        "how-it-works/README.md",
        "How it works",
        "Promises, questions, wires and jobs, from the inside.",
      ),
      page(
        "how-it-works/promises.md",
        "How promises work",
        "From a slow call to a token, and back.",
      ),
      page(
        "how-it-works/questions.md",
        "How questions work",
        "A handler stops, and begins again with the answer.",
      ),
      page(
        "how-it-works/wires.md",
        "How wires work",
        "From bytes to a call, and back.",
      ),
      page(
        "how-it-works/jobs.md",
        "How jobs work",
        "One result, although processes die.",
      ),
      page(
        "how-it-works/explorer.md",
        "How all orders of a job are tried",
        "The real transitions, in every order of events and faults.",
      ),
      page("style.md", "Style", "Of code, pages and error messages."),
      page("tests.md", "Where the tests are", "Their folders; how to run one."),
      page("testing-the-sdk.md", "Testing the SDK", "Fuzzing and soak tests."),
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
      page(
        "decisions/continuations.md",
        "Continuations",
        "A handler that asked its caller runs again from its start.",
      ),
      page(
        "decisions/promise-tokens.md",
        "Promise tokens",
        "A promise token proves itself; no table of tokens exists.",
      ),
      page(
        "decisions/canonical-base64url.md",
        "Canonical base64url",
        "A token has exactly one spelling.",
      ),
      page(
        "decisions/hmac.md",
        "HMAC by @noble/hashes",
        "A synchronous library signs tokens, not WebCrypto.",
      ),
      page(
        "decisions/deadline-lanes.md",
        "Deadline lanes",
        "One timer for each distinct duration.",
      ),
      page(
        "decisions/one-hop.md",
        "One promise hop",
        "Steps of a call are those of a future; deadlines are set after the turn.",
      ),
      page(
        "decisions/bodies-as-text.md",
        "Bodies as text",
        "A body of known length is read as text, and invalid UTF-8 is rejected.",
      ),
      page(
        "decisions/one-entry-caches.md",
        "Caches of one entry",
        "Paths, times and headers of replies are kept from the last call; what that saves.",
      ),
      page(
        "decisions/grpc-codec.md",
        "A codec for gRPC",
        "Two messages are read and written without reflection, beside protobuf-es.",
      ),
      page(
        "decisions/connect.md",
        "Connect",
        "@connectrpc/connect serves Connect and gRPC-Web, and not native gRPC.",
      ),
      page(
        "decisions/typed-field-numbers.md",
        "Field numbers",
        "Numbers of typed gRPC fields are hashes of name and type.",
      ),
      page(
        "decisions/compiled-checks.md",
        "Compiled checks",
        "Arguments that surely fit skip the schema library.",
      ),
      page(
        "decisions/valibot-json-schema.md",
        "JSON Schema",
        "valibot's converter makes JSON Schema; Toolwire adds rules only.",
      ),
      page(
        "decisions/zod-json-schema.md",
        "zod's JSON Schema",
        "A converter reads schemas of zod that bring no JSON Schema.",
      ),
      page(
        "decisions/sse-decoder.md",
        "SSE decoder",
        "A library decodes Server-Sent Events in every client.",
      ),
      page(
        "decisions/bullmq.md",
        "BullMQ",
        "Distributed jobs use an existing queue.",
      ),
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
      page(
        "decisions/definition-of-client-tools.md",
        "Definitions of client tools",
        "Editors find no place for names that types compute, so tools stay a list.",
      ),
      page(
        "decisions/tilde-members.md",
        "Tilde members",
        "The public API has values with ~ members, not classes.",
      ),
      page(
        "decisions/one-package.md",
        "One package",
        "One version, many entry points.",
      ),
      page(
        "decisions/packages-in-the-package.md",
        "Packages in the package",
        "What dist/ contains of other packages, and what stays a dependency.",
      ),
      page(
        "decisions/one-suite-over-wires.md",
        "One suite",
        "The same tests run on every wire.",
      ),
    ],
  },
];

/** `docs/README.md`, as a text. */
export function renderIndex() {
  const groups = NAV.map(({ title, pages, index }) => {
    const listed = index === undefined ? pages : pages.filter(({ page }) => page === index);
    const rows = listed.map(({ page, title, description }) => `- [${title}](${page}): ${description}`);
    return `## ${title}\n\n${rows.join("\n")}\n`;
  });
  return `# Documentation

A *tutorial* takes half an hour, and something works at its end. A *guide* solves one problem that you have. A *concept* says why things are as they are, with a
picture. A *reference* has every option. If you are new, begin with [your first server](tutorials/first-server.md).

Every example runs as a test, and shows what it prints ([how](examples.md#a-snippet-of-these-pages)).

${groups.join("\n")}
## What to import

Each entry of the package, by what one looks for. \`toolwire/mcp\` of npm is \`jsr:@toolwire/toolwire/mcp\` on JSR.

${readMap()}`;
}

/** The tables of `src/entries/README.md`, which `node scripts/exports.mjs` writes, with their headings one level lower. */
function readMap() {
  const text = readFileSync(new URL("../../src/entries/README.md", import.meta.url), "utf8");
  return text.slice(text.indexOf("\n## ") + 1).replaceAll(/^##/gm, "###");
}

const index = new URL("../../docs/README.md", import.meta.url);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--write")) writeFileSync(index, renderIndex());
  else if (readFileSync(index, "utf8") !== renderIndex()) {
    console.error(
      "docs/README.md differs from apps/site/nav.mjs; run: node apps/site/nav.mjs --write",
    );
    process.exitCode = 1;
  }
}
