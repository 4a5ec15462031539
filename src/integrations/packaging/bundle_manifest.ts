/** `manifest.json` of a bundle. Source: MCPB manifest, version 0.3. */
import {
  authorOf,
  checkPackage,
  completeVariable,
  type PackageAuthor,
  type PackageManifest,
  type PackageVariable,
  PackagingError,
  repositoryOf,
} from "./package_manifest.ts";

/** Path of the bundled program in a bundle, which the host starts with Node. */
export const ENTRY_POINT = "server/index.mjs";

/** A value that the host asks its user for, and passes to the server as an environment variable. */
export interface BundleSetting {
  /** Type of the value. */
  readonly type: "string";
  /** Name of the environment variable. */
  readonly title: string;
  /** What it is for. */
  readonly description: string;
  /** Whether the server needs it. */
  readonly required: boolean;
  /** Whether the host keeps it as a secret. */
  readonly sensitive: boolean;
  /** Value that is used unless the user gives one. */
  readonly default?: string;
}

/** `manifest.json` of a bundle, as far as Toolwire writes it. */
export interface BundleManifest {
  /** Version of the format. */
  readonly manifest_version: "0.3";
  /** Name of the package, without its scope. */
  readonly name: string;
  /** Version of the package. */
  readonly version: string;
  /** Description of the package. */
  readonly description: string;
  /** Author of the package. */
  readonly author: PackageAuthor;
  /** Source code. */
  readonly repository?: { readonly type: "git"; readonly url: string };
  /** Page about the server. */
  readonly homepage?: string;
  /** Licence of the package. */
  readonly license?: string;
  /** Keywords of the package. */
  readonly keywords?: readonly string[];
  /** How the host starts the server. */
  readonly server: {
    readonly type: "node";
    readonly entry_point: string;
    readonly mcp_config: {
      readonly command: "node";
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    };
  };
  /** The tools that the packed server lists. */
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  /** The runtime that the host needs. */
  readonly compatibility: { readonly runtimes: { readonly node: string } };
  /** Values that the host asks its user for. */
  readonly user_config?: Readonly<Record<string, BundleSetting>>;
}

/**
 * Creates the `manifest.json` of a bundle from package.json, tools and environment variables. Writes no file.
 *
 * @param tools The tools that the packed server lists.
 * @throws {PackagingError} If the package has no name, exact version, description or author.
 */
export function bundleManifest(
  manifest: PackageManifest,
  tools: readonly { readonly name: string; readonly description?: string | undefined }[],
  variables: readonly PackageVariable[] = [],
): BundleManifest {
  const author = authorOf(manifest);
  const problems = [
    ...checkPackage(manifest),
    ...author === undefined ? ['package.json has no author; add "author": "your name"'] : [],
  ];
  if (author === undefined || problems.length > 0) throw new PackagingError("Cannot create the manifest", problems);
  const { name, version, description = "", homepage, license, keywords } = manifest;
  const repository = repositoryOf(manifest);
  return {
    manifest_version: "0.3",
    name: name.replace(/^@[^/]*\//, ""),
    version,
    description,
    author,
    ...(repository !== undefined && { repository: { type: "git", url: repository } }),
    ...(homepage !== undefined && URL.canParse(homepage) && { homepage }),
    ...(license !== undefined && { license }),
    ...(keywords !== undefined && { keywords }),
    server: serverPart(variables),
    tools: tools.map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
    compatibility: { runtimes: { node: ">=22" } },
    ...(variables.length > 0 && { user_config: settingsOf(variables) }),
  };
}

function serverPart(variables: readonly PackageVariable[]): BundleManifest["server"] {
  const env = Object.fromEntries(variables.map(({ name }) => [name, `\${user_config.${keyOf(name)}}`]));
  return {
    type: "node",
    entry_point: ENTRY_POINT,
    mcp_config: {
      command: "node",
      args: [`\${__dirname}/${ENTRY_POINT}`],
      ...(variables.length > 0 && { env }),
    },
  };
}

function settingsOf(variables: readonly PackageVariable[]): Readonly<Record<string, BundleSetting>> {
  return Object.fromEntries(variables.map((variable) => {
    const { name, description, isRequired, isSecret } = completeVariable(variable);
    return [keyOf(name), {
      type: "string",
      title: name,
      description,
      required: isRequired,
      sensitive: isSecret,
      ...(variable.default !== undefined && { default: variable.default }),
    }];
  }));
}

function keyOf(variable: string): string {
  return variable.toLowerCase();
}
