/** Opens a link with the program that the system has for it. */
import { spawn } from "node:child_process";
import process from "node:process";

/** Schemes that are opened. No shell reads the link. */
const SCHEMES = /^(https?|cursor|vscode|goose):/;

/**
 * Opens a link in the program that the operating system assigns to it, if its scheme is http, https, cursor, vscode or goose. Other links are
 * ignored. Never rejects, also if no program can be started.
 */
export async function openLink(link: string): Promise<void> {
  if (!SCHEMES.test(link)) return;
  const [command, ...args] = process.platform === "darwin"
    ? ["open", link]
    : process.platform === "win32"
    ? ["rundll32", "url.dll,FileProtocolHandler", link]
    : ["xdg-open", link];
  await new Promise<void>((resolve) => {
    try {
      const child = spawn(command, args, { stdio: "ignore", detached: true });
      child.once("spawn", resolve).once("error", () => resolve()).unref();
    } catch {
      // The link is printed, too.
      resolve();
    }
  });
}
