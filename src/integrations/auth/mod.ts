/**
 * Authentication of callers, on the server and for all of its wires. See `./oauth` for clients.
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
} from "./authenticate.ts";
export { bearer, type BearerOptions, type VerifyToken } from "./bearer.ts";
export { jwt, jwtVerifier } from "./jwt.ts";
export type { IssuerJwtOptions, JwtChecks, JwtOptions, SecretJwtOptions } from "./jwt_options.ts";
export { type ProtectedResourceOptions, protectedResourcePage } from "../../wires/http_pages/protected_resource.ts";
