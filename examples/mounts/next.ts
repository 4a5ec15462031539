/** In a Next.js app: the file `app/v/[...path]/route.ts`. */
import { server } from "./server.ts";

const { fetch } = server;
const handle = (request: Request): Promise<Response> => fetch(request);

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as POST };
