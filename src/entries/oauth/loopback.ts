/**
 * Redirect for programs on the machine of the user: a local HTTP server that is open during the authorization.
 *
 * Source: RFC 8252, section 7.3.
 *
 * @module
 */
export {
  loopbackRedirect,
  type LoopbackRedirectOptions,
  type Redirect,
} from "../../integrations/oauth/loopback/loopback_redirect.ts";
