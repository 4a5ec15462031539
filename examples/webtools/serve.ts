/**
 * Serves the weather on port 8000, until it is stopped.
 *
 * @module
 */
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server } from "./server.ts";

const { url } = await serve(server, { port: 8000 });
console.log(`${url}/webtools/weather`);
