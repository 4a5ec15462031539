/**
 * Health and readiness over HTTP, for orchestrators and load balancers. A server needs it in Kubernetes, or behind a proxy that asks before
 * it sends requests.
 *
 * @example A page for a load balancer
 * ```ts
 * import { createServer, mcp } from "jsr:@toolwire/toolwire";
 * import { healthPage } from "jsr:@toolwire/toolwire/health";
 *
 * const server = createServer({ tools: [], wires: [mcp(), healthPage()] });
 * console.log((await server.fetch(new Request("http://localhost/healthz"))).status); // → 200
 * ```
 *
 * @module
 */
export { type HealthOptions, healthPage } from "../server/pages/health.ts";
