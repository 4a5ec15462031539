/**
 * The console: a page that a server serves of itself, to look at its tools, call them, and watch calls. Operators need it to see what a
 * running server does; `toolwire dev` has it built in.
 *
 * @example A server with its console
 * ```ts
 * import { createServer, defineTool, mcp } from "jsr:@toolwire/toolwire";
 * import { consolePage } from "jsr:@toolwire/toolwire/console";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcp(), consolePage()] });
 * console.log((await server.fetch(new Request("http://localhost/console"))).status); // → 200
 * ```
 *
 * @module
 */
export { type ConsoleOptions, consolePage } from "../console/console_page.ts";
