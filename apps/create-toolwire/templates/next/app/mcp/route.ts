import { server } from "../../server.ts";

const { fetch } = server;
const handle = (request: Request) => fetch(request);

export { handle as DELETE, handle as GET, handle as POST };
