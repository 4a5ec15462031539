/** In a Next.js app: the file `app/mcp-lite/v1/[endpoint]/route.ts`. */
import { server } from "./server.ts";

export const POST = server.fetch;
