/** Folders of configuration files: they depend on the operating system. */
import { posix, win32 } from "node:path";
import type { HostSystem } from "./host.ts";

/** Joins names to a path, with `\` on Windows and `/` on other systems. */
function joinPath({ platform }: HostSystem, ...names: readonly string[]): string {
  return (platform === "win32" ? win32 : posix).join(...names);
}

/** Path of a file below the user's home folder. */
export function inHome(system: HostSystem, ...names: readonly string[]): string {
  return joinPath(system, system.home, ...names);
}

/** Path of a file below the folder of the project, which is the working directory. */
export function inProject(system: HostSystem, ...names: readonly string[]): string {
  return joinPath(system, system.cwd, ...names);
}

/** Path of a file of an application: in `~/Library/Application Support` on macOS, `%APPDATA%` on Windows, otherwise {@link inConfigHome}. */
export function inAppData(system: HostSystem, ...names: readonly string[]): string {
  if (system.platform === "darwin") return inHome(system, "Library", "Application Support", ...names);
  if (system.platform !== "win32") return inConfigHome(system, ...names);
  return joinPath(system, system.env["APPDATA"] || inHome(system, "AppData", "Roaming"), ...names);
}

/** Path of a file below `$XDG_CONFIG_HOME`, by default `~/.config`. */
export function inConfigHome(system: HostSystem, ...names: readonly string[]): string {
  return joinPath(system, system.env["XDG_CONFIG_HOME"] || inHome(system, ".config"), ...names);
}

/** Path of Claude Desktop's configuration file; on Windows the Microsoft Store's build has a copy of `%APPDATA%`, which is preferred. */
export function claudeDesktopFile(system: HostSystem): string {
  const file = ["Claude", "claude_desktop_config.json"];
  if (system.platform === "win32") {
    const packages = joinPath(system, system.env["LOCALAPPDATA"] || inHome(system, "AppData", "Local"), "Packages");
    const store = system.list(packages).find((name) => name.startsWith("Claude_"));
    if (store !== undefined) return joinPath(system, packages, store, "LocalCache", "Roaming", ...file);
  }
  return inAppData(system, ...file);
}
