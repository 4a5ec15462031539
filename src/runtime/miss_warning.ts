/** A warning for requests below a mount that neither the server nor the application answers: their callers guess the path of a wire. */
import type { ServerResponse } from "node:http";
import type { Server } from "../server/server.ts";
import type { ExpressRequest } from "./node_request.ts";

/**
 * Creates a function that is called with each request below a mount that is passed to the application. The first one that ends with 404 is
 * logged, with the paths that there are. A page of the application below the same mount is none of these.
 */
export function createMissWarning(
  { "~server": { host } }: Pick<Server, "~server">,
): (request: ExpressRequest, response: ServerResponse) => void {
  let hasWarned = false;
  return ({ baseUrl = "", originalUrl = "" }, response) => {
    if (hasWarned) return;
    response.once("finish", () => {
      if (hasWarned || response.statusCode !== 404) return;
      hasWarned = true;
      const paths = host.mounted.flatMap(({ paths: [first] }) => first === undefined ? [] : [baseUrl + first]);
      host.dispatch.log("warn", "Neither this server nor its application answers a path below the mount", {
        path: originalUrl.replace(/[?#].*$/s, "").slice(0, 128),
        paths,
      });
    });
  };
}
