/**
 * Packages of servers: `.mcpb` bundles, which hosts install by a double click, and `server.json` for the registry of MCP servers. Build
 * scripts need it; `toolwire pack` and `toolwire publish` call these functions. For Node, Bun and Deno.
 *
 * @example The manifest of a package
 * ```ts fragment
 * import { createServerJson, readPackage } from "jsr:@toolwire/toolwire/packaging";
 *
 * const { manifest } = await readPackage(".");
 * console.log(createServerJson(manifest));
 * ```
 *
 * @module
 */
export { packBundle, type PackedBundle, type PackOptions } from "../integrations/packaging/pack_bundle.ts";
export { type BundleManifest, bundleManifest, type BundleSetting } from "../integrations/packaging/bundle_manifest.ts";
export {
  createServerJson,
  type ServerJson,
  type ServerJsonOptions,
  type ServerPackage,
} from "../integrations/packaging/server_json.ts";
export {
  type FoundPackage,
  type PackageAuthor,
  type PackageManifest,
  type PackageVariable,
  PackagingError,
  readPackage,
} from "../integrations/packaging/package_manifest.ts";
