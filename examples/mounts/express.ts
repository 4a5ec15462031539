/** Inside an Express app, before any body parser. */
import { toNodeHandler } from "jsr:@toolwire/toolwire/serve";
import express from "express";
import { server } from "./server.ts";

export const app = express();
app.use("/v", toNodeHandler(server));
app.use(express.json());
app.get("/", (_request, response) => void response.send("page"));
