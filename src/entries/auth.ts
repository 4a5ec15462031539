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
} from "../integrations/auth/authenticate.ts";
export { bearer, type BearerOptions, type VerifyToken } from "../integrations/auth/bearer.ts";
export { jwt, jwtVerifier } from "../integrations/auth/jwt.ts";
export type { IssuerJwtOptions, JwtChecks, JwtOptions, SecretJwtOptions } from "../integrations/auth/jwt_options.ts";
export { type ProtectedResourceOptions, protectedResourcePage } from "../server/pages/protected_resource.ts";
