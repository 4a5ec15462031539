/**
 * What people wrote that failed, or failed in silence, as the trackers and newcomers reported it, and the test that holds what happens today.
 * `seen_test.ts` checks that each test is there under that title. A title with `${…}` is a part of the test's title.
 */

/** What was written, and where the tests of it are: file, below `tests/`, and title or a part of it. */
export type Seen = readonly [what: string, ...tests: readonly (readonly [file: string, title: string])[]];

const EVERY_LIBRARY = ["core/schema/every_library_test.ts", "a schema of ${library} works as it is"] as const;
const RETURNED = ["wires/outputs_test.ts", "what is returned is received equal, or refused by its path"] as const;
const NOT_SENDABLE = [
  "types/json_form_test.ts",
  "what cannot be sent is refused by the compiler, and when it runs",
] as const;

/** In programs on Node, in the command line, and everywhere. */
export const EVERYWHERE: readonly Seen[] = [
  ['import * as v from "valibot", with the front door', EVERY_LIBRARY, [
    "natural/natural_test.ts",
    "parameters of valibot",
  ]],
  ["two copies of valibot, or those of JSR and npm", EVERY_LIBRARY, [
    "core/schema/libraries.ts",
    "valibot 1.0, another copy",
  ]],
  ["zod/mini, zod 3, zod/v3", EVERY_LIBRARY, [
    "core/schema/every_library_test.ts",
    "zod/mini and zod/v3: descriptions, checks after a change of the value, and recursion",
  ]],
  [
    "TypeBox's Type.Object(…), a plain JSON Schema object in .input()",
    EVERY_LIBRARY,
    ["core/schema/every_library_test.ts", "schemas of TypeBox and plain JSON Schema have their types"],
    ["natural/natural_test.ts", "plain JSON Schema, as the low-level server lists it"],
  ],
  ["Schema.Struct of Effect", EVERY_LIBRARY, [
    "core/schema/effect_test.ts",
    "the validator refuses what is no longer listed, and accepts what is",
  ]],
  ["a handler returns a ReadableStream", ["core/dispatch/calls/answers_test.ts", "a ReadableStream"]],
  ["… a Response, a Map, a Set", NOT_SENDABLE, RETURNED],
  ['… { content: [{ type: "image" }] }, one block alone, { png: bytes }', [
    "wires/outputs_test.ts",
    "MCP shows files as blocks: alone, in a list, below members, and as handlers of other SDKs return them",
  ]],
  ["… a Buffer or Uint8Array", RETURNED],
  [
    "… a PDF or CSV: REST with Accept, toolwire call -o, pictures in the console",
    ["wires/rest/files_test.ts", "a file is its bytes if Accept names its media type"],
    [
      "apps/cli/call_output_full_test.ts",
      "call -o writes pictures and files, prints the rest, and writes text where the answer has no file",
    ],
    ["console/page_files_full_test.ts", "console: pictures are shown, and files are saved, on each wire"],
  ],
  ["… NaN, a function as a value", RETURNED],
  [
    'Express: app.use(express.json()), then app.use("/mcp", toNodeHandler(server))',
    ["serve/mounted_handler_test.ts", "calls and streams behind a parser ${kind}, below a mount"],
    [
      "serve/mounted_handler_test.ts",
      "a request that no wire answers goes to the next layer, at the root and below a mount",
    ],
    [
      "serve/base_path_test.ts",
      "toNodeHandler() answers below the mount of Express, without options and with basePath",
    ],
  ],
  ["the session's user of Express", [
    "serve/mounted_handler_test.ts",
    "principal identifies the caller ${when}, on every wire, with and without auth",
  ]],
  [
    "tsc --init of TypeScript 7, then { port: maybeUndefined }",
    ["arch/optional_members_test.ts", "each optional member of public options takes undefined"],
    ["types/left_out_test.ts", "a port that is undefined is the default, 8000"],
  ],
  [
    "defineTool({ name, … }), defineTool(name, { inputSchema, execute })",
    ["natural/natural_test.ts", "defineTool({ name, description, parameters, execute })"],
  ],
  ['createClient("localhost:8000")', [
    "client/urls_test.ts",
    "createClient(${JSON.stringify(given)}) requests ${expected}",
  ]],
  ["a tool that is not there, by the client", [
    "wires/unknown_tool_test.ts",
    "the error has the name, what there is, and the tool that may be meant",
  ]],
  [
    "mcpTransport(url, { headers: (ctx) => … }) in a gateway",
    ["wires/headers_function_test.ts", "principals of a gateway have their own credentials"],
    [
      "wires/headers_function_test.ts",
      "a function for headers of an OpenAPI document receives principal, tool and signal",
    ],
  ],
  ['group("x", tools, { visibleTo }), on gateways and OpenAPI documents', [
    "wires/part_access_test.ts",
    "access of groups, gateways and documents",
  ]],
  ["a question of FastMCP 4.1 through the default transport", [
    "wires/mcp/client/results_test.ts",
    "a tool that can ask only in the older era fails with the option to pass",
  ]],
  ['throw new Error("Path leaves the folder")', [
    "core/dispatch/calls/default_log_test.ts",
    "the first plain Error of each tool is logged with what to throw instead",
  ]],
  [
    "replay in a test, a question asked in a terminal",
    [
      "testing/replay_transport_test.ts",
      "a recording answers its calls in their order, and names the nearest for others",
    ],
    [
      "apps/cli/ask_in_terminal_full_test.ts",
      "questions are asked one after the other, again while an answer does not fit",
    ],
  ],
  ['toolwire call … -H "authorization: …"', ["apps/cli/call_output_full_test.ts", "-Hx-team: blue"]],
  ["toolwire call ./tools.ts slow in a terminal, with a warning about random keys", [
    "apps/cli/terminal_full_test.ts",
    "a warning of the module clears the progress line before it is written",
  ]],
];

/** On Deno, on Workers and in a page. */
export const ELSEWHERE: readonly Seen[] = [
  ["createServer at the level of a Worker's module", [
    "serve/global_scope_test.ts",
    "a server of all parts is created without timers, random values, signals and I/O",
  ]],
  [
    "{ at: Date } as the client's type",
    ["types/json_form_test.ts", "the JSON form of an object's members is its type"],
    NOT_SENDABLE,
  ],
  [
    "who calls, from Hono, Oak or a Worker; HS256 of Hono",
    [
      "serve/principal_of_host_test.ts",
      "the principal is the caller, with and without auth, and handlers get the host in ctx.env",
    ],
    ["integrations/auth/jwt_secret_test.ts", "a token of hono/jwt is accepted, and names the caller"],
  ],
  [
    "ctx.env in a .promise() tool on Workers; schedules on a fresh Worker",
    [
      "jobs/engines/durable_object_test.ts",
      "runs in an object have its env, and the Cron Trigger of the Worker starts schedules",
    ],
  ],
  ["ws.close() against a Worker with an older compatibility date", [
    "serve/worker_close_full_test.ts",
    "a WebSocket is closed by its client on workerd of old and new dates",
  ]],
  ["a stream that breaks after 8 pieces", [
    "client/lost_streams_full_test.ts",
    "a stream over ${name} whose connection is lost has its pieces, and their number in the error",
  ]],
  [
    "idleTimeoutMs: 3000",
    ["wires/heartbeats_test.ts", "a healthy call outlives its idle timeout"],
    ["client/limits_test.ts", "an idle timeout below the heartbeats of servers names them where it ends a call"],
  ],
  [
    "go to definition and hover on client.tool (TypeScript has no place to go to)",
    [
      "types/diagnostics_full_test.ts",
      "go to definition leads to a property that was written, and not to a name that a type computes",
    ],
    ["types/diagnostics_full_test.ts", "hovers show resolved types"],
  ],
  ["deno doc of the front door", [
    "docs/reference_full_test.ts",
    "deno doc shows each member of ${name}, and what it is for",
  ]],
  ["tools exported to JSR", ["docs/publish_full_test.ts", "deno publish"]],
  ["bytes as input, 5 MB", [
    "wires/too_large_test.ts",
    "a request that is too large names the limit, and the next one is answered",
  ]],
  ["client.$.list() begins with redeem and cancel", [
    "wires/promises_suite_test.ts",
    "lists the system tools first, marked as such",
  ]],
  ["get_note({ idd: 3 })", [
    "core/schema/every_library_test.ts",
    "an argument that is not declared is named where another is missing",
  ]],
  ["every(1000, tool), without {}", ["natural/seen_test.ts", "a schedule of a tool without arguments needs none"]],
  [
    "cors: true without origins; origins without cors",
    ["jobs/promises/options_test.ts", "cors with options for no origins"],
    [
      "core/dispatch/calls/default_log_test.ts",
      "a preflight of a listed origin that needs CORS is logged with what is missing",
    ],
  ],
  ["progress that goes back when a job restarts", [
    "client/progress_test.ts",
    "progress of a later attempt has its number",
  ]],
  ["a page that only calls loads a chunk of jobs", [
    "client/page_chunks_full_test.ts",
    "a page that only calls loads the client of ${name}, and nothing of jobs, servers and MCP",
  ]],
  ["the cost of Connect in a page", [
    "natural/seen_test.ts",
    "the page of the client states what Connect costs in a page",
  ]],
  ["Service Workers, Web Workers, message ports", ["examples/page_workers_full_test.ts", "Worker"]],
];

/** Small things. */
export const SMALL: readonly Seen[] = [
  ["a missing tool through call_tool", [
    "server/discovery/access_test.ts",
    "an unknown name has the nearest tools as its suggestion, which the caller may find",
  ]],
  ["search_tools knows group, detail, limit", [
    "natural/seen_test.ts",
    "search_tools lists each argument that it knows",
  ]],
  ["a transport in an error that is not there", [
    "integrations/agents/sign_in_test.ts",
    "text in place of a source names a transport that there is",
  ]],
  ["the default logger prints undefined after a message", [
    "natural/seen_test.ts",
    "the default logger prints a message without fields alone",
  ]],
  ["int() of zod sends ±9007199254740991 to models", [
    "core/schema/every_library_test.ts",
    "z.int() is listed without the bounds of all safe integers",
  ]],
  [
    "progress repeats values, or skips on Workers",
    ["client/progress_test.ts", "a state that is reported again, as by the next redemption, reaches the caller once"],
    [
      "jobs/engines/durable_object_test.ts",
      "a Worker sees the latest progress of a job, and not each state between two requests to its object",
    ],
  ],
  ['doctor says "No CORS" while an origin has it', [
    "apps/cli/doctor/doctor_full_test.ts",
    "origin and cors: pages of an origin that is not listed; with the options of the remedy they pass",
  ]],
  ["a URL question without a handler", [
    "wires/url_question_test.ts",
    "a page to visit needs onElicitation, which the error names",
  ]],
  ["anthropicTools(server) on a server with sign-in", [
    "integrations/agents/sign_in_test.ts",
    "a server with sign-in needs a caller",
  ]],
  ["FastMCP's -> str arrives as { result }", [
    "wires/mcp/client/results_test.ts",
    "a wrapped value of FastMCP arrives as the value",
  ]],
  ["toolwire/otel without its peer", [
    "natural/seen_test.ts",
    "the types of toolwire/otel are of this package alone",
  ]],
  ["a redeem of another's promise leaves no hint", [
    "jobs/promises/refused_tokens_test.ts",
    "a promise of another caller is refused, and the log has a hint without the token",
  ]],
  ['defer: "auto" and discover() have two thresholds', [
    "integrations/agents/deferral_test.ts",
    "discover() and auto have one rule: the tokens of names, descriptions and schemas",
  ]],
];
