// Migrates the published examples of the official SDK (1.x and 2.x), of mcp-lite and of FastMCP, starts each before and after on Bun, and
// compares what a client of the official SDK receives:
// node scripts/check_migrate.mjs [--sdk <repository>] [--lite <repository>] [--fastmcp <repository>] [--only <name>] [--no-types]
// Without the repositories it clones them; their revisions are fixed. Prints a table in Markdown; the work is in .cache/check_migrate.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const work = join(root, ".cache/check_migrate");
const bun = join(root, "node_modules/.bin/bun");
const { values: options } = parseArgs({
  options: {
    sdk: { type: "string" },
    lite: { type: "string" },
    fastmcp: { type: "string" },
    only: { type: "string" },
    "no-types": { type: "boolean" },
  },
});

const PACKAGES = [
  "@modelcontextprotocol/sdk@1.32.2",
  "@modelcontextprotocol/server@2.4.0",
  "@modelcontextprotocol/hono@2",
  "@modelcontextprotocol/express@2",
  "@modelcontextprotocol/node@2",
  "mcp-lite@0.10.0",
  "fastmcp@4.20.16",
  ...[
    "hono",
    "@hono/node-server",
    "express",
    "cors",
    "fastify",
    "zod@4",
    "arktype",
    "valibot",
    "@valibot/to-json-schema",
    "effect@3",
  ],
  ...["@types/node", "@types/express", "@types/cors", "@types/bun"],
];

/** Random numbers and the date are fixed, so that both sides answer alike. */
const PRELOAD =
  'Math.random = () => 0.5;\nlet n = 0;\ncrypto.randomUUID = () => `00000000-0000-4000-8000-${String(++n).padStart(12, "0")}`;\n' +
  'Date.prototype.toISOString = () => "2027-01-01T00:00:00.000Z";\n';

const LIBRARIES = [
  {
    name: "1.x",
    repository: options.sdk ?? clone("modelcontextprotocol/typescript-sdk"),
    revision: "v1.29.0",
    list: examplesOfV1,
  },
  {
    name: "2.x",
    repository: options.sdk ?? clone("modelcontextprotocol/typescript-sdk"),
    revision: "3924de99d",
    list: examplesOfV2,
  },
  {
    name: "mcp-lite",
    repository: options.lite ?? clone("fiberplane/mcp-lite"),
    revision: "171b4cb",
    list: examplesOfLite,
  },
  {
    name: "FastMCP",
    repository: options.fastmcp ?? clone("punkpeye/fastmcp"),
    revision: "a97c5eb",
    list: examplesOfFastMcp,
  },
];

function clone(name) {
  const folder = join(root, ".cache", name.replace("/", "-"));
  if (!existsSync(folder)) {
    execFileSync("git", ["clone", "-q", `https://github.com/${name}`, folder], { stdio: "inherit" });
  }
  return folder;
}

/** Folders `before` and `after` of a library, with its examples and without links to its sources. */
function extract({ name, repository, revision, list }) {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "before"), { recursive: true });
  const tar = execFileSync("git", [
    "-C",
    repository,
    "archive",
    revision,
    "--",
    ["1.x", "FastMCP"].includes(name) ? "src/examples" : "examples",
  ], { maxBuffer: 1e9 });
  execFileSync("tar", ["x", "-C", join(folder, "before")], { input: tar });
  const examples = list(join(folder, "before"));
  writeFileSync(join(folder, "before/package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, "before/tsconfig.json"), JSON.stringify(TSCONFIG));
  cpSync(join(folder, "before"), join(folder, "after"), { recursive: true });
  return examples.map((example) => ({ ...example, library: name, folder }));
}

const TSCONFIG = {
  compilerOptions: {
    ...{
      target: "es2024",
      module: "preserve",
      moduleResolution: "bundler",
      lib: ["esnext"],
      strict: true,
      noEmit: true,
    },
    ...{ skipLibCheck: true, allowImportingTsExtensions: true, types: ["node", "bun"] },
  },
};

function examplesOfV1(folder) {
  const servers = join(folder, "src/examples/server");
  for (const file of [...files(servers), ...files(join(folder, "src/examples/shared"))]) {
    const text = readFileSync(file, "utf8")
      .replace(/'(\.\.\/)+(server|types|shared\/(?!inMemory)|experimental|inMemory)/g, "'@modelcontextprotocol/sdk/$2")
      .replace(/const PORT = \d+;/, "const PORT = Number(process.env.PORT);");
    writeFileSync(file, text);
  }
  rmSync(join(folder, "src/examples/client"), { recursive: true, force: true });
  return files(servers).filter((file) => /createMcp|listen|Stdio|serve\(/.test(readFileSync(file, "utf8"))).map((
    file,
  ) => ({
    example: file.slice(servers.length + 1, -3),
    file: file.slice(folder.length + 1),
    path: /Sse/.test(file) && /SSEServerTransport/.test(readFileSync(file, "utf8")) && !/Streamable/.test(file)
      ? undefined
      : "/mcp",
    isStdio: /new StdioServerTransport/.test(readFileSync(file, "utf8")),
    args: [],
  }));
}

function examplesOfV2(folder) {
  const examples = join(folder, "examples");
  for (const name of readdirSync(examples).filter((name) => !name.includes("."))) {
    for (const unused of ["client.ts", "test"]) rmSync(join(examples, name, unused), { recursive: true, force: true });
  }
  for (const unused of ["guides", "client-quickstart", "cli-client"]) {
    rmSync(join(examples, unused), { recursive: true, force: true });
  }
  const found = readdirSync(examples).flatMap((name) =>
    ["server.ts", "src/index.ts"].map((file) => join("examples", name, file)).filter((file) =>
      existsSync(join(folder, file))
    )
  );
  return found.filter((file) => !/shared|quickstart-client/.test(file)).map((file) => ({
    example: file.split("/")[1],
    file,
    path: "/mcp",
    isStdio: !/--http|parseExampleArgs/.test(readFileSync(join(folder, file), "utf8")),
    args: ["--http", "--port"],
  }));
}

function examplesOfLite(folder) {
  const examples = join(folder, "examples");
  return readdirSync(examples).filter((name) => existsSync(join(examples, name, "src/index.ts"))).map((name) => ({
    example: name,
    file: `examples/${name}/src/index.ts`,
    path: "/mcp",
    isStdio: false,
    args: [],
  }));
}

function examplesOfFastMcp(folder) {
  const examples = join(folder, "src/examples");
  for (const file of files(examples)) {
    const text = readFileSync(file, "utf8")
      .replace(/from "\.\.\/(FastMCP|index)\.js"/g, 'from "fastmcp"')
      .replace(/port: \d+/g, "port: Number(process.env.PORT)")
      .replace(/const PORT = [^;]+;/g, "const PORT = Number(process.env.PORT);");
    writeFileSync(file, text);
  }
  return files(examples).map((file) => ({
    example: file.slice(examples.length + 1, -3),
    file: file.slice(folder.length + 1),
    path: "/mcp",
    isStdio: /transportType: "stdio"/.test(readFileSync(file, "utf8")),
    args: [],
  }));
}

function files(folder) {
  return readdirSync(folder).filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}

/** node_modules with the packages that the examples import; Toolwire is this repository. */
function install() {
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "preload.ts"), PRELOAD);
  if (!existsSync(join(work, "node_modules/fastmcp"))) {
    writeFileSync(join(work, "package.json"), '{ "private": true, "type": "module" }\n');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], {
      cwd: work,
      stdio: "inherit",
    });
  }
  const { exports } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"));
  const toolwire = join(work, "node_modules/toolwire");
  rmSync(toolwire, { recursive: true, force: true });
  mkdirSync(toolwire);
  symlinkSync(root, join(toolwire, "repository"));
  const mapped = Object.entries(exports).map(([name, file]) => [name, file.replace("./", "./repository/")]);
  writeFileSync(
    join(toolwire, "package.json"),
    JSON.stringify({ name: "toolwire", type: "module", exports: Object.fromEntries(mapped) }),
  );
}

/** Packages of the examples themselves. */
function linkShared(folder) {
  for (const side of ["before", "after"]) {
    const target = join(folder, side, "node_modules/@mcp-examples/shared");
    mkdirSync(target, { recursive: true });
    const args = join(folder, side, "examples/shared/src/args.ts");
    if (!existsSync(args)) continue;
    cpSync(join(dirname(args)), join(target, "src"), { recursive: true });
    const exports = { ".": "./src/args.ts", "./auth": "./src/inMemoryEventStore.ts" };
    writeFileSync(
      join(target, "package.json"),
      JSON.stringify({ name: "@mcp-examples/shared", type: "module", exports }),
    );
  }
}

// Below the ports that systems give to connections.
let nextPort = 21_000;

/** A port that is free, and the next one as well. */
async function freePort() {
  for (;;) {
    nextPort += 2;
    if (await isFree(nextPort) && await isFree(nextPort + 1)) return nextPort;
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}

/** Starts an example, asks it everything, and ends it. */
async function ask(example, side) {
  const { Client } = await import(
    pathToFileURL(join(work, "node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js")).href
  );
  const port = await freePort();
  const cwd = join(example.folder, side, example.library === "mcp-lite" ? dirname(dirname(example.file)) : ".");
  const args = ["--no-install", "--preload", join(work, "preload.ts"), resolve(example.folder, side, example.file)];
  const env = {
    ...process.env,
    PORT: String(port),
    MCP_PORT: String(port),
    MCP_AUTH_PORT: String(port + 1),
    AUTH_PORT: String(port + 1),
  };
  const client = new Client({ name: "check", version: "1.0.0" }, {
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
  });
  const questions = [];
  await answerQuestions(client, questions);
  const child = example.isStdio
    ? undefined
    : spawn(bun, [...args, ...(example.args.length > 0 ? [...example.args, String(port)] : [])], { cwd, env });
  let output = "";
  child?.stderr.on("data", (chunk) => output += chunk);
  child?.stdout.on("data", (chunk) => output += chunk);
  try {
    const transport = await transportOf(example, args, env, cwd, port);
    await connect(client, transport, child, () => output);
    return { ...await everything(client, questions), questions };
  } catch (error) {
    return { error: `${error.message} ${output.slice(-600)}` };
  } finally {
    await client.close().catch(() => {});
    child?.kill("SIGKILL");
  }
}

async function transportOf(example, args, env, cwd, port) {
  const from = (file) =>
    import(pathToFileURL(join(work, `node_modules/@modelcontextprotocol/sdk/dist/esm/client/${file}.js`)).href);
  if (example.isStdio) {
    const { StdioClientTransport } = await from("stdio");
    return () => new StdioClientTransport({ command: bun, args, env, cwd, stderr: "ignore" });
  }
  if (example.path === undefined) {
    const { SSEClientTransport } = await from("sse");
    return () => new SSEClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  }
  const { StreamableHTTPClientTransport } = await from("streamableHttp");
  return () => new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${example.path}`));
}

/** Connects once the port is open. */
async function connect(client, transport, child, output) {
  for (let attempt = 0;; attempt++) {
    try {
      return await client.connect(transport());
    } catch (error) {
      if (
        attempt >= 100 || child === undefined || child.exitCode !== null ||
        !/ECONNREFUSED|fetch failed/.test(`${error} ${error.cause}`)
      ) {
        throw new Error(`${error.message} ${output()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function answerQuestions(client, questions) {
  const { ElicitRequestSchema, CreateMessageRequestSchema } = await import(
    pathToFileURL(join(work, "node_modules/@modelcontextprotocol/sdk/dist/esm/types.js")).href
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    if (params.mode === "url") return { action: "accept" };
    return { action: "accept", content: argumentsFor(params.requestedSchema) };
  });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    questions.push(params.messages);
    return { role: "assistant", content: { type: "text", text: "a sample" }, model: "small" };
  });
}

/** Lists and answers, without what converters and libraries may write differently. */
async function everything(client, questions) {
  const offers = client.getServerCapabilities() ?? {};
  const { tools } = offers.tools ? await client.listTools() : { tools: [] };
  const { resources } = offers.resources ? await client.listResources() : { resources: [] };
  const { resourceTemplates } = offers.resources ? await client.listResourceTemplates() : { resourceTemplates: [] };
  const { prompts } = offers.prompts ? await client.listPrompts() : { prompts: [] };
  const answers = {};
  for (const { name, inputSchema } of tools) {
    answers[`tool ${name}`] = await result(
      questions,
      () =>
        client.callTool({ name, arguments: argumentsFor(inputSchema) }, undefined, {
          timeout: 20_000,
          onprogress: () => {},
        }),
    );
  }
  for (const { uri } of resources) {
    answers[`resource ${uri}`] = await result(questions, () => client.readResource({ uri }));
  }
  for (const { uriTemplate } of resourceTemplates) {
    const uri = uriTemplate.replace(/\{[^}]*\}/g, "1");
    answers[`resource ${uri}`] = await result(questions, () => client.readResource({ uri }));
  }
  for (const { name, arguments: parameters = [] } of prompts) {
    const args = Object.fromEntries(parameters.map((one) => [one.name, "text"]));
    answers[`prompt ${name}`] = await result(questions, async () => ({
      messages: (await client.getPrompt({ name, arguments: args })).messages,
    }));
  }
  return { lists: { tools: tools.map(toolOf), resources, resourceTemplates, prompts: prompts.map(promptOf) }, answers };
}

const toolOf = ({ name, title, annotations, description, inputSchema, outputSchema }) => ({
  ...{ name, title, annotations, description },
  inputSchema: plain(inputSchema),
  outputSchema: plain(outputSchema),
});
const promptOf = ({ name, title, description, arguments: args = [] }) => ({
  name,
  title,
  description,
  arguments: args,
});

/** A schema without what says the same in another way. */
function plain(schema) {
  if (schema === undefined) return undefined;
  const isClosed = (name, value) =>
    name === "$schema" ||
    (name === "additionalProperties" && (value === false || Object.keys(value ?? {}).length === 0));
  const stripped = JSON.parse(JSON.stringify(schema, (name, value) => isClosed(name, value) ? undefined : value));
  return { ...stripped, properties: stripped.properties ?? {}, required: [...stripped.required ?? []].sort() };
}

async function result(questions, work) {
  try {
    const { content, structuredContent, isError, messages, contents } = await work();
    return { content, structuredContent, isError: isError === true, messages, contents };
  } catch (error) {
    // A question as an error: it is one that is asked in place afterwards.
    const pages = error.code === -32042 ? error.data?.elicitations ?? [] : [];
    questions.push(...pages.map(({ message }) => message));
    return { thrown: true, isPage: pages.length > 0, message: String(error.message).slice(0, 80) };
  }
}

/** Arguments that a schema accepts. */
function argumentsFor(schema) {
  const entries = Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, valueFor(property)]);
  return Object.fromEntries(entries);
}

function valueFor(schema) {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return valueFor((schema.oneOf ?? schema.anyOf)[0]);
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "object") return argumentsFor(schema);
  if (schema.type === "array") return [valueFor(schema.items ?? {})];
  if (schema.type === "boolean") return true;
  if (schema.type === "number" || schema.type === "integer") return schema.minimum ?? 2;
  if (schema.format === "email") return "a@example.com";
  if (schema.format === "date") return "2027-01-01";
  return "text".padEnd(schema.minLength ?? 0, "x").slice(0, schema.maxLength ?? 100);
}

/** What differs between two sides, by name. `structuredContent` that only the new side has is by design, and so is a default media type. */
function differences(before, after) {
  // A description is required here, and a resource has a media type.
  const listed = (side, kind) =>
    side.lists[kind].map((one) => {
      const other = before.lists[kind].find(({ name }) => name === one.name) ?? {};
      return { ...one, description: other.description && one.description };
    });
  const lists = Object.keys(before.lists).filter((kind) => !isSame(listed(before, kind), listed(after, kind)));
  // What the original does not answer in time is not compared.
  const answered = Object.keys(before.answers).filter((name) => !/timed out/.test(before.answers[name].message ?? ""));
  const answers = answered.filter((name) =>
    !isSame(comparable(before.answers[name]), comparable(after.answers[name] ?? {}, before.answers[name]))
  );
  return {
    lists,
    answers,
    questions: answered.length < Object.keys(before.answers).length || isSame(before.questions, after.questions),
  };
}

function comparable(answer, before = answer) {
  if (before.isPage) return { isRefused: answer.thrown || answer.isError };
  if (answer.thrown) return { thrown: true };
  const { structuredContent, contents, ...rest } = answer;
  return {
    ...rest,
    structuredContent: before.structuredContent === undefined ? undefined : structuredContent,
    contents: contents?.map((one, index) =>
      before.contents?.[index]?.mimeType === undefined ? { ...one, mimeType: undefined } : one
    ),
  };
}

/** JSON with sorted members, so that their order does not count. */
function isSame(one, other) {
  const sorted = (value) =>
    JSON.stringify(
      value,
      (_, part) =>
        part !== null && typeof part === "object" && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).sort())
          : part,
    );
  return sorted(one) === sorted(other);
}

/** Errors of the type checker, by file. */
function typeErrors(folder) {
  if (options["no-types"]) return new Map();
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  const found = new Map();
  for (const [line, file] of stdout.matchAll(/^([^(\n]+)\(\d+,\d+\): error .*$/gm)) {
    found.set(file, [...found.get(file) ?? [], line]);
  }
  return found;
}

function migrate(folder) {
  const run = () =>
    spawnSync(bun, [join(root, "apps/cli/main.ts"), "migrate", ".", "--force", "--json"], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1e9,
    });
  const first = run();
  if (first.stdout === "") throw new Error(first.stderr);
  const report = JSON.parse(first.stdout);
  const again = JSON.parse(run().stdout);
  return { ...report, again: again.changed };
}

install();
const rows = [];
const details = [];
for (const library of LIBRARIES) {
  const examples = extract(library).filter(({ example }) =>
    options.only === undefined || options.only.split(",").includes(example)
  );
  const [{ folder } = {}] = examples;
  if (folder === undefined) continue;
  const report = migrate(join(folder, "after"));
  if (report.again.length > 0) details.push(`${library.name}: a second run changes ${report.again.join(", ")}`);
  linkShared(folder);
  const [typesBefore, types] = [typeErrors(join(folder, "before")), typeErrors(join(folder, "after"))];
  for (const example of examples) {
    const left = report.left.filter(({ file }) =>
      dirname(file) === dirname(example.file) &&
      (!["1.x", "FastMCP"].includes(library.name) || file === example.file)
    );
    const errors = (types.get(example.file) ?? []).length - (typesBefore.get(example.file) ?? []).length;
    if (errors > 0) details.push(...types.get(example.file));
    const overHttp = await ask(example, "before");
    // Over HTTP without sessions the original cannot ask. The examples that ask serve stdio, too.
    const isRefused = Object.values(overHttp.answers ?? {}).some(({ content }) =>
      /per-request legacy/.test(content?.[0]?.text)
    );
    if (isRefused) Object.assign(example, { isStdio: true, args: [] });
    const before = isRefused ? await ask(example, "before") : overHttp;
    const row = { library: library.name, example: example.example, types: errors <= 0, left: left.length };
    if (before.error !== undefined) {
      rows.push({ ...row, skipped: before.error.split("\n")[0].slice(0, 100) });
      continue;
    }
    const after = await ask(example, "after");
    if (after.error !== undefined) {
      details.push(`${example.library} ${example.example}: ${after.error}`);
      rows.push({ ...row, starts: false, lists: false, answers: false });
      continue;
    }
    const { lists, answers, questions } = differences(before, after);
    for (const kind of lists) {
      details.push(
        `${example.example} ${kind}:\n  before ${JSON.stringify(before.lists[kind])}\n  after  ${
          JSON.stringify(after.lists[kind])
        }`,
      );
    }
    for (const name of answers) {
      details.push(
        `${example.example} ${name}:\n  before ${JSON.stringify(before.answers[name])}\n  after  ${
          JSON.stringify(after.answers[name])
        }`,
      );
    }
    rows.push({ ...row, starts: true, lists: lists.length === 0, answers: answers.length === 0 && questions });
    console.error(`${example.library} ${example.example}`);
  }
}

const mark = (value) => value === undefined ? "–" : value ? "yes" : "no";
console.log(
  "| library | example | type-checks | starts | same lists | same answers | markers |\n|---|---|---|---|---|---|---|",
);
for (const { library, example, types, starts, lists, answers, left, skipped } of rows) {
  const cells = skipped === undefined
    ? [mark(starts), mark(lists), mark(answers)]
    : ["the original does not run here", "–", "–"];
  console.log(`| ${[library, example, mark(types), ...cells, left].join(" | ")} |`);
}
const ran = rows.filter(({ skipped }) => skipped === undefined);
const passed = ran.filter(({ starts, lists, answers }) => starts && lists && answers);
const compiled = rows.filter(({ types }) => types);
if (!options["no-types"]) console.log(`\n${compiled.length} of ${rows.length} type-check as before`);
console.log(
  `\n${passed.length} of ${ran.length} that run here pass (${
    Math.round(100 * passed.length / Math.max(1, ran.length))
  } %)`,
);
for (const { library, example, skipped } of rows) {
  if (skipped !== undefined) console.error(`not run: ${library} ${example}: ${skipped}`);
}
writeFileSync(join(work, "details.txt"), `${details.join("\n\n")}\n`);
console.error(`Details: ${join(work, "details.txt")}`);
process.exit(0);
