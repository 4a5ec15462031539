/** Packs a server as an `.mcpb` bundle, which hosts install by a double click. */
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { type BundleManifest, bundleManifest, ENTRY_POINT } from "./bundle_manifest.ts";
import { type PackageVariable, PackagingError, readPackage } from "./package_manifest.ts";
import type { ZipFile } from "./zip.ts";

/** Options of {@link packBundle}. */
export interface PackOptions {
  /** Module that exports a server as `server` or `default`. It must not listen when it is imported. */
  readonly module: string;
  /** Another export that is the server. */
  readonly exportName?: string | undefined;
  /** Environment variables that the host asks its user for. Default: none. */
  readonly variables?: readonly PackageVariable[] | undefined;
  /** Environment in which the packed server is started once, to list its tools. Default: empty. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A packed bundle: the bytes of its file, which is not written, and a name for it. */
export interface PackedBundle {
  /** `<name>-<version>.mcpb`. */
  readonly fileName: string;
  /** The archive. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Content of the bundle's `manifest.json`. */
  readonly manifest: BundleManifest;
}

/**
 * Packs a server: bundles the module with all of its packages into one file, starts that file, and writes its tools into the
 * manifest. Name, version, description, author and licence are those of the nearest package.json. Equal sources make equal bytes
 * with one version of esbuild and of the runtime.
 *
 * Needs esbuild in the project. Native addons and files that are read at run time are not packed.
 *
 * @example
 * ```ts check
 * import { packBundle } from "jsr:@toolwire/toolwire/packaging";
 * import { writeFile } from "node:fs/promises";
 *
 * const { fileName, bytes } = await packBundle({ module: "./server.ts", variables: [{ name: "API_KEY" }] });
 * await writeFile(fileName, bytes);
 * ```
 * @throws {PackagingError} If esbuild or a member of package.json is missing, the module cannot be bundled, or the packed server
 * does not start.
 */
export async function packBundle(options: PackOptions): Promise<PackedBundle> {
  const module = resolve(options.module);
  if (!existsSync(module)) throw new PackagingError(`Cannot pack ${options.module}`, [`there is no file ${module}`]);
  const found = readPackage(dirname(module));
  // Before the work, as mistakes in package.json are frequent.
  bundleManifest(found.manifest, [], options.variables);
  const license = licenseOf(found.folder);
  const [{ bundleProgram }, { listPackedTools }, { writeZip }] = await Promise.all([
    import("./bundle_program.ts"),
    import("./list_packed_tools.ts"),
    import("./zip.ts"),
  ]);
  const program = await bundleProgram({ module, exportName: options.exportName, folder: found.folder });
  const manifest = bundleManifest(
    found.manifest,
    await listPackedTools(program, module, options.env),
    options.variables,
  );
  const files = [...filesOf(program, manifest), ...license];
  return { fileName: `${manifest.name}-${manifest.version}.mcpb`, bytes: writeZip(files), manifest };
}

function filesOf(program: string, manifest: BundleManifest): ZipFile[] {
  const encode = (text: string) => new TextEncoder().encode(text);
  return [
    { name: "manifest.json", bytes: encode(`${JSON.stringify(manifest, undefined, 2)}\n`) },
    { name: ENTRY_POINT, bytes: encode(program) },
  ];
}

/** @throws {PackagingError} If the licence is not a regular file of the package: a link may lead to any file of this machine. */
function licenseOf(folder: string): ZipFile[] {
  const file = join(folder, "LICENSE");
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return [];
  const real = existsSync(file) ? realpathSync(file) : "nothing";
  if (real.startsWith(realpathSync(folder) + sep) && statSync(real).isFile()) {
    return [{ name: "LICENSE", bytes: readFileSync(real) }];
  }
  throw new PackagingError("Cannot pack the licence", [
    `${file} leads to ${real}, which is not a file of the package; copy the text`,
  ]);
}
