/** Inside an Elysia app. `parse: "none"` leaves the body to the server. */
import { Elysia } from "elysia";
import { server } from "./server.ts";

const handle = server.fetch;
export const app = new Elysia()
  .all("/v/*", ({ request }) => handle(request), { parse: "none" })
  .get("/", () => "page");
