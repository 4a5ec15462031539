/** Inside an h3 app, with its sealed session. In Nitro: the file `server/routes/v/[...path].ts`. */
import { H3, readBody, useSession } from "h3";
import { createTools } from "./server.ts";

export const { server, work } = createTools("/v");
const session = { password: "not a secret in an example, of 32 characters" };
const handle = server.fetch;
export const app = new H3();
app.post("/login", async (event) => {
  const body = await readBody<{ user: string }>(event);
  await (await useSession<{ user?: string }>(event, session)).update({ user: body!.user });
  return {};
});
app.get("/v/page", () => "page");
app.all("/v/**", async (event) => {
  const { data: { user } } = await useSession<{ user?: string }>(event, session);
  return await handle(event.req, { principal: user === undefined ? undefined : { id: user } });
});

export const fetch = async (request: Request): Promise<Response> => await app.fetch(request);
export const close = (): Promise<void> => server.close();
