/**
 * The program `toolwire` as a module to run: `deno run -A jsr:@toolwire/toolwire/cli list ./server.ts`. Imported by another module, it
 * does nothing. npm installs the same program as `toolwire`. `askInTerminal()` is what the program answers questions of tools with.
 *
 * @module
 */
export { askInTerminal } from "./calls/ask_in_terminal.ts";

// Not `main.ts` itself, because tools that load every entry of the package would run the program.
if (import.meta.main) await import("./main.ts");
