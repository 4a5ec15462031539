/**
 * Authentication of callers, on the server and for all of its wires. A server needs it if callers send bearer tokens or JWTs; for clients
 * there is `./oauth`, for sign-in of users `./sign-in`.
 *
 * @example Bearer tokens
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { bearer } from "jsr:@toolwire/toolwire/auth";
 *
 * const people = new Map([["token-of-ada", { id: "ada" }]]);
 * const whoami = defineTool("whoami").describe("Who calls").handle((_, ctx) => ctx.principal?.id);
 * const server = createServer({ tools: [whoami], auth: bearer((token) => people.get(token)) });
 * console.log((await server.fetch(new Request("http://localhost/mcp-lite/v1/listtools", { method: "POST" }))).status);
 * // → 401
 * ```
 *
 * @module
 */
export {
  type AsHandled,
  authenticate,
  type AuthenticateOptions,
  type AuthRequest,
  type CallerOf,
  type Identify,
} from "../integrations/auth/authenticate.ts";
export { bearer, type BearerOptions, type VerifyToken } from "../integrations/auth/bearer.ts";
export { jwt, jwtVerifier } from "../integrations/auth/jwt.ts";
export type { IssuerJwtOptions, JwtChecks, JwtOptions, SecretJwtOptions } from "../integrations/auth/jwt_options.ts";
export { type ProtectedResourceOptions, protectedResourcePage } from "../server/pages/protected_resource.ts";
