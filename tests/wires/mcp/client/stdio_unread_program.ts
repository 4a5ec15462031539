/** Run by Deno without permission to read: a missing server is still reported as such. */
import { createClient } from "../../../../mod.ts";
import { stdioTransport } from "../../../../src/entries/stdio.ts";

const client = createClient(stdioTransport("/no-such-program", [], { cwd: "/" }), { retry: { attempts: 0 } });
const thrown: unknown = await client.$.list().catch((error: unknown) => error);
console.log((thrown as { readonly code?: string }).code);
