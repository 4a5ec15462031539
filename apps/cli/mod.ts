/**
 * The program `toolwire` as a module to run: `deno run -A jsr:@toolwire/toolwire/cli list ./server.ts`. It is needed on Deno, as npm
 * installs the same program as `toolwire`. Imported by another module, it does nothing; `askInTerminal()` is what the program answers
 * questions of tools with.
 *
 * @example Answer questions in the terminal
 * ```ts fragment url
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { askInTerminal } from "jsr:@toolwire/toolwire/cli";
 *
 * console.log(await createClient(url, { onElicitation: askInTerminal() }).$.call("order"));
 * ```
 *
 * @module
 */
export { askInTerminal } from "./calls/ask_in_terminal.ts";

// Not `main.ts` itself, because tools that load every entry of the package would run the program.
if (import.meta.main) await import("./main.ts");
