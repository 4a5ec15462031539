/**
 * Health and readiness over HTTP, for orchestrators and load balancers.
 *
 * @module
 */
export { type HealthOptions, healthPage } from "../server/pages/health.ts";
