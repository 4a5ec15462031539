import { server } from "../../../../server.ts";

const handle = (request: Request) => server.fetch(request);

export { handle as GET, handle as POST };
