/** Folders of configuration files: they depend on the operating system. */
import { posix, win32 } from "node:path";
import type { HostSystem } from "./host.ts";

/** Joins names as the system of the host does. */
export function joinPath({ platform }: HostSystem, ...names: readonly string[]): string {
  return (platform === "win32" ? win32 : posix).join(...names);
}

/** A file below the user's home folder. */
export function inHome(system: HostSystem, ...names: readonly string[]): string {
  return joinPath(system, system.home, ...names);
}

/** A file below the folder of the project. */
export function inProject(system: HostSystem, ...names: readonly string[]): string {
  return joinPath(system, system.cwd, ...names);
}

/** A file below the folder for data of applications: `~/Library/Application Support`, `%APPDATA%`, `$XDG_CONFIG_HOME`. */
export function inAppData(system: HostSystem, ...names: readonly string[]): string {
  if (system.platform === "darwin") return inHome(system, "Library", "Application Support", ...names);
  if (system.platform !== "win32") return inConfigHome(system, ...names);
  return joinPath(system, system.env["APPDATA"] || inHome(system, "AppData", "Roaming"), ...names);
}

/** A file below `$XDG_CONFIG_HOME`, by default `~/.config`. */
export function inConfigHome(system: HostSystem, ...names: readonly string[]): string {
  return joinPath(system, system.env["XDG_CONFIG_HOME"] || inHome(system, ".config"), ...names);
}

/** The configuration of Claude Desktop. The build of the Microsoft Store has a copy of `%APPDATA%`. */
export function claudeDesktopFile(system: HostSystem): string {
  const file = ["Claude", "claude_desktop_config.json"];
  if (system.platform === "win32") {
    const packages = joinPath(system, system.env["LOCALAPPDATA"] || inHome(system, "AppData", "Local"), "Packages");
    const store = system.list(packages).find((name) => name.startsWith("Claude_"));
    if (store !== undefined) return joinPath(system, packages, store, "LocalCache", "Roaming", ...file);
  }
  return inAppData(system, ...file);
}
