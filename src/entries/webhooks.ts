/**
 * Webhooks that are sent when promised work has ended, signed in the format of Standard Webhooks. It is needed where another program has to
 * know, without asking again and again.
 *
 * @example A request when work has ended
 * ```ts fragment tools secret
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { webhook } from "jsr:@toolwire/toolwire/webhooks";
 *
 * const server = createServer({ tools, onComplete: [webhook({ url: "https://hooks.example.com/done", secret })] });
 * console.log(server.tools.length);
 * ```
 *
 * @module
 */
export type { Metadata } from "../core/call/call.ts";
export type { MaybePromise } from "../internal/async.ts";
export type { CompletionTarget } from "../core/dispatch/job_notifier.ts";
export type { EndedCall } from "../integrations/webhooks/notifier.ts";
export { type VerifyOptions, verifyWebhook } from "../integrations/webhooks/signature.ts";
export { webhook, type WebhookEndpoint, type WebhookOptions } from "../integrations/webhooks/webhooks.ts";
