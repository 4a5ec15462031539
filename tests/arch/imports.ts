/**
 * Holds the source to its layers: imports point down only.
 *
 * Pure: sources go in, broken rules come out.
 *
 * @module
 */

/** One import. */
export interface Import {
  /** What is imported: a path from the root of the repository, or a package. */
  readonly to: string;
  /** Whether the import is gone at run time. */
  readonly isType: boolean;
}

/** A source file, by its path from the root of the repository. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/**
 * What each layer may import, beside itself. `type:` marks what only types may come from.
 *
 * The order of entries is the order of layers; the first that fits a path is its layer.
 */
const LAYERS: readonly (readonly [layer: string, prefixes: readonly string[], below: readonly string[]])[] = [
  ["internal", ["src/internal/"], []],
  ["error", ["src/error/"], ["internal"]],
  ["call", ["src/call/"], ["internal", "error"]],
  ["token", ["src/token/"], ["internal", "error"]],
  ["engine", ["src/engine/"], ["internal", "error", "call"]],
  ["codec", ["src/codec/"], ["internal", "error", "call"]],
  ["mcp client", ["src/mcp_client/"], ["internal", "error", "call", "codec"]],
  ["schema", ["src/schema/"], ["internal", "error", "call"]],
  ["tool", ["src/tool/"], ["internal", "error", "call", "type:token", "schema"]],
  ["preset", ["src/preset/"], ["schema", "tool"]],
  ["catalog", ["src/catalog/"], ["internal", "error", "call", "schema", "tool"]],
  ["dispatch", ["src/dispatch/"], ["internal", "error", "call", "token", "engine", "schema", "tool"]],
  ["middleware", ["src/middleware/"], ["internal", "error", "call", "token", "tool"]],
  ["redis", ["src/redis/"], ["internal", "engine", "type:call", "type:middleware", "type:wires"]],
  ["otel", ["src/otel/"], ["internal", "error", "call", "type:tool"]],
  ["wire", ["src/wires/wire.ts"], ["internal", "error", "call", "schema", "tool", "type:catalog", "dispatch"]],
  ["mcp", ["src/mcp/"], [
    "internal",
    "error",
    "call",
    "codec",
    "schema",
    "tool",
    "type:catalog",
    "dispatch",
    "wire",
  ]],
  ["wire entry", ["src/wires/*/entry.ts"], [
    "call",
    "catalog",
    "type:mcp",
    "mcp client",
    "wire message",
    "wires",
    "wire client",
  ]],
  ["wire generated", ["src/wires/*/gen/"], []],
  ["wire message", [
    "src/wires/grpc/binary.ts",
    "src/wires/grpc/binary_format.ts",
    "src/wires/grpc/binary_struct.ts",
    "src/wires/grpc/bytes.ts",
    "src/wires/grpc/envelope.ts",
    "src/wires/grpc/json.ts",
    "src/wires/grpc/error_domain.ts",
    "src/wires/webtools/metadata.ts",
  ], [
    "internal",
    "call",
    "wire generated",
  ]],
  ["wire client", [
    "src/wires/*/client.ts",
    "src/wires/*/decode_reply.ts",
    "src/wires/*/client_",
    "src/wires/grpc/node.ts",
  ], [
    "internal",
    "error",
    "call",
    "codec",
    "mcp client",
    "type:tool",
    "type:dispatch",
    "wire generated",
    "wire message",
  ]],
  ["wires", ["src/wires/"], [
    "wire generated",
    "wire message",
    "internal",
    "error",
    "call",
    "codec",
    "schema",
    "tool",
    "type:catalog",
    "dispatch",
    "wire",
    "mcp",
  ]],
  ["client", ["src/client/"], ["internal", "error", "call", "type:tool", "wire client"]],
  ["agents", ["src/agents/"], ["internal", "error", "call", "client", "wire client"]],
  ["server", ["src/server/"], [
    "internal",
    "error",
    "call",
    "token",
    "engine",
    "codec",
    "schema",
    "tool",
    "type:catalog",
    "dispatch",
    "wire",
    "wires",
  ]],
  ["compose", ["src/compose/"], [
    "internal",
    "error",
    "call",
    "token",
    "codec",
    "mcp client",
    "schema",
    "tool",
    "catalog",
    "dispatch",
    "type:wire",
    "type:client",
    "type:server",
  ]],
  ["openapi", ["src/openapi/"], ["internal", "error", "call", "codec", "schema", "tool", "wires"]],
  ["runtime", ["src/runtime/"], ["internal", "error", "call", "token", "tool", "wire", "server"]],
  ["cli", ["src/cli/"], ["internal", "wires", "wire client", "wire message"]],
  ["json schema", ["src/json_schema/"], ["codec", "schema"]],
  ["auth", ["src/auth/"], ["internal", "error", "call", "dispatch", "wire", "wires", "type:server"]],
  ["oauth", ["src/oauth/"], ["internal", "error", "codec", "mcp client", "type:auth"]],
  ["testing", ["src/testing/"], [
    "internal",
    "error",
    "call",
    "token",
    "engine",
    "client",
    "wire client",
    "server",
    "tool",
  ]],
  ["entry", ["mod.ts"], [
    "preset",
    "internal",
    "error",
    "call",
    "token",
    "engine",
    "schema",
    "tool",
    "type:catalog",
    "dispatch",
    "wire",
    "wires",
    "wire client",
    "client",
    "server",
  ]],
];

/** Packages, by the files that may import them at run time. */
const PACKAGES: readonly (readonly [name: string, paths: readonly string[]])[] = [
  ["@bufbuild/protobuf", ["src/wires/grpc/"]],
  ["@connectrpc/connect", ["src/wires/grpc/"]],
  ["@cfworker/json-schema", ["src/codec/json_schema/check.ts"]],
  ["@valibot/to-json-schema", ["src/schema/valibot_json_schema.ts"]],
  ["valibot", ["src/schema/valibot.ts"]],
  ["@noble/hashes", ["src/token/"]],
  ["@noble/ciphers", ["src/token/sealed.ts"]],
  ["jose", ["src/auth/jwt.ts"]],
  ["oauth4webapi", ["src/oauth/"]],
  ["bullmq", ["src/engine/bullmq"]],
  ["ioredis", ["src/engine/bullmq", "src/engine/redis_"]],
  ["@opentelemetry/api", ["src/otel/"]],
  ["pg", ["src/engine/bullmq"]],
];

/** Where runtimes may be named: their globals, and their own modules. */
const RUNTIME_PATHS = [
  "src/runtime/",
  "src/engine/sqlite",
  "src/engine/bullmq",
  "src/wires/grpc/node.ts",
  "src/wires/stdio/",
  "src/oauth/loopback.ts",
  "src/cli/",
];

/** A source without comments; what stands in strings is emptied where `keepStrings` is false. */
export function stripComments(text: string, keepStrings: boolean): string {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=[.,;)\]\s])/g;
  return text.replace(token, (found) => {
    if (found.startsWith("//") || found.startsWith("/*")) return " ";
    if (found.startsWith("/")) return "0";
    if (keepStrings) return found;
    return found.startsWith("`") ? (found.match(/\$\{[^}]*\}/g) ?? ['""']).join(" ") : '""';
  });
}

/** The imports and re-exports of a source, dynamic ones included. */
export function importsOf({ path, text }: Source): Import[] {
  const code = stripComments(text, true);
  const statement =
    /\b(?:import|export)\s+(type\s+)?([\w*\s{},$]*?)\s*\bfrom\s*["']([^"']+)["']|\bimport\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']\s*\)/g;
  return [...code.matchAll(statement)].map(([, type, names, from, bare, dynamic]) => ({
    to: resolve(path, from ?? bare ?? dynamic ?? ""),
    isType: type !== undefined || isTypesOnly(names),
  }));
}

/** Whether `{ type A, type B }` names nothing but types. */
function isTypesOnly(names: string | undefined): boolean {
  const inner = /^\{([\s\S]*)\}$/.exec(names?.trim() ?? "")?.[1];
  return inner !== undefined && inner.split(",").every((name) => name.trim() === "" || /^\s*type\s/.test(name));
}

function resolve(from: string, to: string): string {
  if (!to.startsWith(".")) return to;
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The layer of a path; `undefined` if it has none. */
export function layerOf(path: string): string | undefined {
  return LAYERS.find(([, prefixes]) => prefixes.some((prefix) => fits(path, prefix)))?.[0];
}

function fits(path: string, prefix: string): boolean {
  const pattern = prefix.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("[^/]+");
  return new RegExp(`^${pattern}${prefix.endsWith(".ts") ? "$" : ""}`).test(path);
}

/** Every rule that these sources break, as sentences. */
export function brokenRules(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [...brokenImports(source), ...namedRuntimes(source)]);
}

function brokenImports(source: Source): string[] {
  const { path } = source;
  const layer = layerOf(path);
  if (layer === undefined) return [`${path} is in no layer: add its folder to tests/arch/imports.ts`];
  return importsOf(source).flatMap(({ to, isType }) => {
    if (!/^(src\/|mod\.ts$)/.test(to)) return brokenPackage(path, to, isType);
    const target = layerOf(to);
    if (target === undefined) return [`${path} imports ${to}, which is in no layer`];
    if (isOtherWire(path, to)) return [`${path} imports ${to}: a wire never imports another wire`];
    if (target === layer) return [];
    const below = LAYERS.find(([name]) => name === layer)?.[2] ?? [];
    if (below.includes(target) || (isType && below.includes(`type:${target}`))) return [];
    const hint = below.includes(`type:${target}`) ? "may import types only from" : "may not import";
    return [`${path} imports ${to}: ${layer} ${hint} ${target}`];
  });
}

function isOtherWire(from: string, to: string): boolean {
  const [one, other] = [from, to].map((path) => /^src\/wires\/([^/]+)\//.exec(path)?.[1]);
  return one !== undefined && other !== undefined && one !== other;
}

function brokenPackage(path: string, name: string, isType: boolean): string[] {
  if (/^(node|bun|deno|cloudflare):/.test(name)) {
    return isRuntimePath(path)
      ? []
      : [`${path} imports ${name}: modules of a runtime are imported in src/runtime/ alone`];
  }
  const allowed = PACKAGES.find(([one]) => name === one || name.startsWith(`${one}/`));
  if (allowed === undefined) return [`${path} imports ${name}, which is no dependency of DESIGN 9`];
  return isType || allowed[1].some((one) => path.startsWith(one))
    ? []
    : [`${path} imports ${name}: only ${allowed[1].join(", ")} may`];
}

function isRuntimePath(path: string): boolean {
  return RUNTIME_PATHS.some((one) => path.startsWith(one));
}

function namedRuntimes({ path, text }: Source): string[] {
  if (isRuntimePath(path)) return [];
  const code = stripComments(text, false);
  const named =
    /(?<![.\w$])(Bun|Deno|process|Buffer|__dirname|__filename|require)\b(?!\s*[:?]|\()|\bglobalThis\s*\.\s*(Bun|Deno|process|Buffer)\b|\bimport\.meta\b/g;
  return [...code.matchAll(named)].map(([found]) => `${path} names ${found}: runtimes are named in src/runtime/ alone`);
}

/** Folders that import each other in a circle at run time, as sentences; empty if there is none. */
export function circles(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map((source) => [source.path, importsOf(source).filter(({ isType }) => !isType).map(({ to }) => to)]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    else if (!done.has(path)) {
      for (const to of edges.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    }
  };
  for (const { path } of sources) visit(path, []);
  return found;
}
