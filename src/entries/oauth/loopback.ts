/**
 * Redirect for programs on the machine of the user: a local HTTP server that is open during the authorization. A command-line program needs
 * it to sign its user in; it is apart from `./oauth`, which runs in browsers, too, because it needs a module of Node.
 *
 * Source: RFC 8252, section 7.3.
 *
 * @example Sign a user in
 * ```ts fragment
 * import { authorizationCode } from "jsr:@toolwire/toolwire/oauth";
 * import { loopbackRedirect } from "jsr:@toolwire/toolwire/oauth/loopback";
 *
 * const grant = authorizationCode({
 *   redirect: loopbackRedirect({ open: (page) => console.error(`Open ${page.href}`) }),
 *   clientMetadata: { client_name: "Docs bot" },
 * });
 * console.log(typeof grant);
 * ```
 *
 * @module
 */
export {
  loopbackRedirect,
  type LoopbackRedirectOptions,
  type Redirect,
} from "../../integrations/oauth/loopback/loopback_redirect.ts";
