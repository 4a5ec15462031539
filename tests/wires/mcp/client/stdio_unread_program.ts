/** Run by Deno without the permission to read: a server that is not there is told as one, all the same. */
import { createClient } from "../../../../mod.ts";
import { stdioTransport } from "../../../../src/wires/mcp/stdio/mod.ts";

const client = createClient(stdioTransport("/no-such-program", [], { cwd: "/" }), { retry: { attempts: 0 } });
const thrown: unknown = await client.$.list().catch((error: unknown) => error);
console.log((thrown as { readonly code?: string }).code);
