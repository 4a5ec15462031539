/**
 * Who calls: tokens read and verified on a server, for all of its wires, and sent by a client.
 *
 * @module
 */
export { authenticate, type AuthenticateOptions, type AuthRequest, type Identify } from "./authenticate.ts";
export { bearer, type BearerOptions, type VerifyToken } from "./bearer.ts";
export { jwt, type JwtOptions, jwtVerifier } from "./jwt.ts";
export { type ProtectedResourceOptions, protectedResourcePage } from "../../wires/http_pages/protected_resource.ts";
export { bearerFetch, type GetToken, type Send } from "../oauth/bearer_fetch.ts";
