/** What a package.json says of a server. All names and versions of bundles and registry entries come from here. */
import type { Complete } from "../../internal/json.ts";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The members of a package.json that bundles and registry entries have. */
export interface PackageManifest {
  /** Name on npm: `weather-server`, `@ada/weather-server`. */
  readonly name: string;
  /** Version, of the form of Semantic Versioning. */
  readonly version: string;
  /** What the package is, in a sentence. */
  readonly description?: string | undefined;
  /** `Ada <ada@example.com> (https://ada.example)`, or the parts. */
  readonly author?: string | PackageAuthor | undefined;
  /** Licence, as an SPDX expression. */
  readonly license?: string | undefined;
  /** Words to find it by. */
  readonly keywords?: readonly string[] | undefined;
  /** Page about the package. */
  readonly homepage?: string | undefined;
  /** `github:ada/weather`, `https://…`, or the parts. */
  readonly repository?: string | { readonly url: string; readonly directory?: string | undefined } | undefined;
  /** Name in the registry of MCP servers: `io.github.ada/weather`. */
  readonly mcpName?: string | undefined;
  /** Programs of the package. */
  readonly bin?: string | Readonly<Record<string, string>> | undefined;
  /** Whether it is not published to npm. */
  readonly private?: boolean | undefined;
}

/** Author of a package, as the parts of the member `author` of package.json. */
export interface PackageAuthor {
  /** Name. */
  readonly name: string;
  /** Address for mail. */
  readonly email?: string | undefined;
  /** Page. */
  readonly url?: string | undefined;
}

/** An environment variable of a server, for which its host asks the user. */
export interface PackageVariable {
  /** Name of the variable: `API_KEY`. */
  readonly name: string;
  /** What it is for. Default: the name. */
  readonly description?: string | undefined;
  /** Whether the server needs it. Default: `true`, unless there is a default. */
  readonly isRequired?: boolean | undefined;
  /** Whether hosts treat the value as a secret, and hide it while it is typed. Default: `true`, unless there is a default. */
  readonly isSecret?: boolean | undefined;
  /** Value that is used unless the user gives one. */
  readonly default?: string | undefined;
}

/** Error for a package that cannot be packed or published: its message lists `problems`. */
export class PackagingError extends Error {
  /** Name of the class. */
  override readonly name = "PackagingError";
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[];

  /**
   * Creates the error.
   *
   * @param action What was attempted: `Cannot pack ./server.ts`.
   */
  constructor(action: string, problems: readonly string[], options?: ErrorOptions) {
    super(`${action}: ${problems.join("; ")}`, options);
    this.problems = problems;
  }
}

/** A package that was found: its folder and its package.json, which is not validated. */
export interface FoundPackage {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Content of the package's package.json, not validated. */
  readonly manifest: PackageManifest;
}

/**
 * Reads the package.json of a folder, or of the nearest folder above it.
 *
 * @throws {PackagingError} If there is no package.json, or it is not JSON.
 */
export function readPackage(folder: string): FoundPackage {
  for (let at = resolve(folder);; at = dirname(at)) {
    const file = join(at, "package.json");
    if (existsSync(file)) return { folder: at, manifest: parse(file) };
    if (dirname(at) === at) {
      throw new PackagingError(`Cannot read the package of ${folder}`, [
        "there is no package.json in it or above it; names and versions come from there",
      ]);
    }
  }
}

function parse(file: string): PackageManifest {
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")) as PackageManifest;
  } catch (cause) {
    throw new PackagingError(`Cannot read ${file}`, [(cause as Error).message], { cause });
  }
}

/** A name of npm, with capitals, as old packages have them. It becomes part of file names. */
const NAME = /^(@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[\da-z-]+(\.[\da-z-]+)*)?(\+[\da-z-]+(\.[\da-z-]+)*)?$/i;

/** Returns a sentence for each of name, version and description that is missing, and for a version that is not exact. */
export function checkPackage({ name, version, description }: PackageManifest): string[] {
  return [
    ...typeof name !== "string" || name === "" ? ["package.json has no name"] : NAME.test(name) ? [] : [
      `package.json has the name ${JSON.stringify(name)}, which npm refuses: it has letters, digits, "-", "." and "_"`,
    ],
    ...typeof version === "string" && SEMVER.test(version)
      ? []
      : [`package.json has the version ${JSON.stringify(version)}; it has to be exact, such as "1.0.0"`],
    ...typeof description === "string" && description.trim() !== "" ? [] : ["package.json has no description"],
  ];
}

/** The author as an object, which is parsed if it is a text; `undefined` if it is missing, or the text has no name. */
export function authorOf({ author }: PackageManifest): PackageAuthor | undefined {
  if (typeof author !== "string") return author;
  const [, name = "", email, url] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(author) ?? [];
  if (name.trim() === "") return undefined;
  return { name: name.trim(), ...(email !== undefined && { email }), ...(url !== undefined && { url }) };
}

/** The `https:` address of the source code for browsers, also from the short and Git forms; `undefined` if it is missing or not a URL. */
export function repositoryOf({ repository }: PackageManifest): string | undefined {
  const written = typeof repository === "string" ? repository : repository?.url;
  if (written === undefined) return undefined;
  const short = /^(?:(github|gitlab):)?([\w.-]+\/[\w.-]+)$/.exec(written);
  if (short !== null) return `https://${short[1] ?? "github"}.com/${short[2]}`;
  const url = written.replace(/^git\+/, "").replace(/^(?:git|ssh):\/\/(?:git@)?/, "https://")
    .replace(/^git@([^:]+):/, "https://$1/").replace(/\.git$/, "");
  return URL.canParse(url) ? url : undefined;
}

/** The variable with description, `isRequired` and `isSecret` completed, and without its default value. */
export function completeVariable(variable: PackageVariable): Complete<Omit<PackageVariable, "default">> {
  const { name, description = name, isRequired, isSecret } = variable;
  const isOpen = variable.default === undefined;
  return { name, description, isRequired: isRequired ?? isOpen, isSecret: isSecret ?? isOpen };
}
