/** Opens an address with the program that the system has for it. */
import { spawn } from "node:child_process";
import process from "node:process";

const WEB = /^https?:/;

/**
 * Opens a page in the browser. The address is also to be printed: there may be no browser.
 *
 * @param schemes Accepted addresses. Default: `http:` and `https:`.
 * @returns Whether a program was started.
 */
export function openBrowser(address: string, schemes: RegExp = WEB): boolean {
  if (!URL.canParse(address) || !schemes.test(address)) return false;
  // The normalized address has no quotes and no spaces, and no shell reads it.
  const { href } = new URL(address);
  const [command, ...args] = openerOf(process.platform);
  const child = spawn(command, [...args, href], { stdio: "ignore", detached: true });
  // Without such a program, the printed address remains.
  child.on("error", () => {});
  child.unref();
  return true;
}

function openerOf(platform: string): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
