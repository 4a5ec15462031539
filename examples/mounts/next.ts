/** In a Next.js app: the file `app/v/[...path]/route.ts`. `userOf` stands for the session of the application, such as Auth.js. */
import { createTools } from "./server.ts";
import { userOf } from "./session.ts";

export const { server, work } = createTools("/v");
const { fetch } = server;
async function handle(request: Request): Promise<Response> {
  const user = await userOf(request);
  return await fetch(request, { principal: user && { id: user } });
}

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as POST };
