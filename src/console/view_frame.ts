/**
 * The frame in which the page shows the view of a tool (MCP Apps): a document without origin, whose policy is that which the view
 * declares. It takes the page of the view by a message of the console, so that it needs neither a key nor state.
 */
import type { Head, Reply } from "../wires/wire.ts";
import { authorityOf } from "./access.ts";
import { refusal } from "./replies.ts";

/** Replaces itself by the first text that its parent sends. */
const FRAME = `<!doctype html><meta charset="utf-8"><title>View</title><script>
addEventListener("message", function take({ source, data }) {
  if (source !== parent || source === self || typeof data !== "string") return;
  removeEventListener("message", take);
  document.open();
  document.write(data);
  document.close();
});
</script>`;

/** Replies with the frame. The query has the origins that the view declares, by the members of its `csp`. */
export function viewFrame(head: Head): Reply {
  if (head.method !== "GET") return refusal(405, "invalid_request", "Send GET", { allow: "GET" });
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyOf(head),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  return { status: 200, headers, body: FRAME };
}

/** An origin, as a policy has it. */
const ORIGIN = /^(?:https?|wss?):\/\/((?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::\d+)?)$/i;

/** `'self'` is nowhere in it: it would be this server, whose console a view must not reach. */
function policyOf(head: Head): string {
  const { target } = head;
  const declared = new URLSearchParams(target.includes("?") ? target.slice(target.indexOf("?")) : "");
  const own = authorityOf(head).toLowerCase();
  const origins = (member: string, ...others: readonly string[]): string => {
    const allowed = declared.getAll(member).filter((origin) => {
      const host = ORIGIN.exec(origin)?.[1];
      return host !== undefined && host.toLowerCase() !== own;
    });
    return [...others, ...allowed].join(" ") || "'none'";
  };
  return [
    "default-src 'none'",
    `script-src ${origins("resourceDomains", "'unsafe-inline'")}`,
    `style-src ${origins("resourceDomains", "'unsafe-inline'")}`,
    `img-src ${origins("resourceDomains", "data:", "blob:")}`,
    `media-src ${origins("resourceDomains", "data:", "blob:")}`,
    `font-src ${origins("resourceDomains", "data:")}`,
    `connect-src ${origins("connectDomains")}`,
    `frame-src ${origins("frameDomains")}`,
    `base-uri ${origins("baseUriDomains")}`,
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; ");
}
