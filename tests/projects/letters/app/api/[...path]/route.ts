import { principal } from "../../../session";
import { server } from "../../../tools";

// Work that is due begins when the function is read, without a request.
const { fetch } = server;

async function handle(request: Request) {
  return await fetch(request, { principal: await principal() });
}

export { handle as DELETE, handle as GET, handle as POST };
