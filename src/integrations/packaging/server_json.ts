/** `server.json`, the entry of a server in the registry of MCP servers. Source: its schema of 2025-12-11. */
import {
  checkPackage,
  completeVariable,
  type PackageManifest,
  type PackageVariable,
  PackagingError,
  repositoryOf,
} from "./package_manifest.ts";

/** URL of the JSON Schema that `server.json` complies with: its member `$schema`. */
const SERVER_JSON_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** `server.json`, the entry of a server in the registry of MCP servers, as far as Toolwire writes it. */
export interface ServerJson {
  /** Address of the schema. */
  readonly $schema: string;
  /** Name in the registry: `io.github.ada/weather`. */
  readonly name: string;
  /** Name for people. */
  readonly title?: string;
  /** Description of the package. */
  readonly description: string;
  /** Version of the package. */
  readonly version: string;
  /** Page about the server. */
  readonly websiteUrl?: string;
  /** Source code. */
  readonly repository?: { readonly url: string; readonly source: string; readonly subfolder?: string };
  /** The npm package. */
  readonly packages?: readonly ServerPackage[];
  /** URLs at which the server is reached. */
  readonly remotes?: readonly { readonly type: "streamable-http"; readonly url: string }[];
}

/** The npm package of a server, as an entry of `packages` in `server.json`. */
export interface ServerPackage {
  /** Registry that has the package. */
  readonly registryType: "npm";
  /** Name of the package. */
  readonly identifier: string;
  /** Version of the package. */
  readonly version: string;
  /** Transport by which hosts reach the server once it runs. */
  readonly transport: { readonly type: "stdio" };
  /** Variables that its user sets. */
  readonly environmentVariables?: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
    readonly isSecret: boolean;
    readonly default?: string;
  }[];
}

/** Options of {@link createServerJson}. */
export interface ServerJsonOptions {
  /** Name for people, at most 100 characters. Default: none. */
  readonly title?: string | undefined;
  /** URLs at which the server is reached by Streamable HTTP. Default: none. */
  readonly remotes?: readonly string[] | undefined;
  /** Environment variables of the npm package. Default: none. */
  readonly variables?: readonly PackageVariable[] | undefined;
}

/**
 * Creates the `server.json` of a package, and returns it; writes no file. A package that is private has remotes alone.
 *
 * @example
 * ```ts
 * import { createServerJson } from "jsr:@toolwire/toolwire/packaging";
 *
 * const entry = createServerJson({
 *   name: "@ada/weather",
 *   version: "1.2.0",
 *   description: "Weather for cities",
 *   mcpName: "io.github.ada/weather",
 *   bin: "./main.js",
 * });
 * console.log(entry.packages?.[0]?.identifier); // → @ada/weather
 * ```
 * @throws {PackagingError} If the registry would refuse it; `problems` has all of the reasons.
 */
export function createServerJson(manifest: PackageManifest, options: ServerJsonOptions = {}): ServerJson {
  const { mcpName = "", version, description = "", homepage } = manifest;
  const { title, remotes = [], variables = [] } = options;
  const problems = [...checkPackage(manifest), ...checkNames(manifest, options)];
  if (problems.length > 0) throw new PackagingError("Cannot create server.json", problems);
  const repository = repositoryPart(manifest);
  return {
    $schema: SERVER_JSON_SCHEMA,
    name: mcpName,
    ...(title !== undefined && { title }),
    description,
    version,
    ...(homepage?.startsWith("https://") === true && { websiteUrl: homepage }),
    ...(repository !== undefined && { repository }),
    ...(manifest.private !== true && { packages: [packagePart(manifest, variables)] }),
    ...(remotes.length > 0 && { remotes: remotes.map((url) => ({ type: "streamable-http", url })) }),
  };
}

const MAX_DESCRIPTION = 100;
const MAX_TITLE = 100;
const MAX_NAME = 200;
const NAME = /^[a-z\d][a-z\d.-]*[a-z\d]\/[a-z\d][a-z\d._-]*[a-z\d]$/i;

function checkNames(manifest: PackageManifest, { title, remotes = [] }: ServerJsonOptions): string[] {
  const { mcpName, description = "", bin } = manifest;
  const isPublished = manifest.private !== true;
  return [
    ...checkName(mcpName, manifest),
    ...[...description].length <= MAX_DESCRIPTION
      ? []
      : [`the description of package.json has ${[...description].length} characters, at most ${MAX_DESCRIPTION}`],
    ...title === undefined || (title !== "" && [...title].length <= MAX_TITLE)
      ? []
      : [`the title has ${[...title].length} characters, at most ${MAX_TITLE} and not 0`],
    ...isPublished && bin === undefined
      ? ["package.json has no bin: hosts start the package by `npx`; add a program that calls serveStdio(server)"]
      : [],
    ...isPublished || remotes.length > 0
      ? []
      : ["package.json is private, and there is no remote: give one, or publish the package"],
    ...remotes.flatMap(checkRemote),
  ];
}

function checkName(mcpName: string | undefined, manifest: PackageManifest): string[] {
  if (mcpName === undefined) {
    const owner = /^https:\/\/github\.com\/([^/]+)\//.exec(`${repositoryOf(manifest)}/`)?.[1] ?? "<owner>";
    const name = `io.github.${owner}/${manifest.name?.replace(/^@[^/]*\//, "")}`;
    return [`package.json has no mcpName; add "mcpName": "${name}", and publish the package to npm with it`];
  }
  if (NAME.test(mcpName) && mcpName.length <= MAX_NAME) return [];
  return [
    `the mcpName ${JSON.stringify(mcpName)} is not a domain in reverse and a name, such as io.github.ada/weather`,
  ];
}

function checkRemote(remote: string): string[] {
  const url = URL.parse(remote);
  if (url === null || url.protocol !== "https:") return [`the remote ${JSON.stringify(remote)} is not an https URL`];
  if (/^(localhost|127\.|\[::1\]$)|\.localhost$/.test(url.hostname)) return [`the remote ${remote} is this machine`];
  return /[{}]/.test(remote) ? [`the remote ${remote} has variables, which are not supported`] : [];
}

function repositoryPart(manifest: PackageManifest): ServerJson["repository"] {
  const url = repositoryOf(manifest);
  const source = /^https:\/\/(github|gitlab)\.com\/[^/]+\/[^/]+$/.exec(url ?? "")?.[1];
  if (url === undefined || source === undefined) return undefined;
  const { repository } = manifest;
  const subfolder = typeof repository === "object" ? repository.directory : undefined;
  return { url, source, ...(subfolder !== undefined && { subfolder }) };
}

function packagePart({ name, version }: PackageManifest, variables: readonly PackageVariable[]): ServerPackage {
  const environmentVariables = variables.map((variable) => ({
    ...completeVariable(variable),
    ...(variable.default !== undefined && { default: variable.default }),
  }));
  return {
    registryType: "npm",
    identifier: name,
    version,
    transport: { type: "stdio" },
    ...(environmentVariables.length > 0 && { environmentVariables }),
  };
}
