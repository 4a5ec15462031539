/** Inside an Elysia app. `parse: "none"` leaves the body to the server. */
import { Elysia } from "elysia";
import { server } from "./server.ts";

export const app = new Elysia()
  .all("/v/*", ({ request }) => server.fetch(request), { parse: "none" })
  .get("/", () => "page");
