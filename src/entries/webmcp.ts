/**
 * The tools of any server for the agent of a browser: WebMCP. Pages need it; it is experimental, as the proposal is, and may change in any
 * release.
 *
 * @example Tools of a page
 * ```ts fragment server
 * import { registerWebMcp } from "jsr:@toolwire/toolwire/webmcp";
 *
 * const registration = await registerWebMcp(server);
 * registration.unregister();
 * ```
 *
 * @module
 */
export { registerWebMcp, type WebMcpOptions, type WebMcpRegistration } from "../integrations/webmcp/register.ts";
