/**
 * A decision before each run of a tool, and a record after it: for policies that see arguments, for costs and for audits. Most servers need
 * neither: `.scopes()` says who may call what.
 *
 * @example A policy by tenant
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { allow, decisions, deny } from "jsr:@toolwire/toolwire/decisions";
 *
 * const remove = defineTool("remove").describe("Remove").handle(() => "removed");
 * const policy = decisions({ decide: ({ principal }) => (principal?.tenant === "acme" ? allow() : deny("Ask acme")) });
 * console.log(createServer({ tools: [remove], middleware: [policy] }).tools.length); // → 1
 * ```
 *
 * @module
 */
export {
  allow,
  type AllowDecision,
  ask,
  type AskDecision,
  charge,
  type Decision,
  deny,
  type DenyDecision,
} from "../integrations/decisions/decision.ts";
export {
  type CallRecord,
  type Decide,
  type DecidedCall,
  decisions,
  type DecisionsOptions,
  type RecordCall,
} from "../integrations/decisions/decisions.ts";
export { auditLog, type AuditLogOptions, type AuditSink } from "../integrations/decisions/audit_log.ts";
export { auditFile } from "../integrations/decisions/runtime/audit_file.ts";
export { type AuditCheck, verifyAudit } from "../integrations/decisions/verify_audit.ts";
