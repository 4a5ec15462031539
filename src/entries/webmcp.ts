/**
 * The tools of any server for the agent of a browser: WebMCP. Experimental, as the proposal is: it may change in any release.
 *
 * @module
 */
export { registerWebMcp, type WebMcpOptions, type WebMcpRegistration } from "../integrations/webmcp/register.ts";
