/**
 * Webhooks that are sent when promised work has ended, signed in the format of Standard Webhooks.
 *
 * @module
 */
export type { Metadata } from "../core/call/call.ts";
export type { MaybePromise } from "../internal/async.ts";
export type { CompletionTarget } from "../core/dispatch/completion.ts";
export type { EndedCall } from "../integrations/webhooks/notifier.ts";
export { type VerifyOptions, verifyWebhook } from "../integrations/webhooks/signature.ts";
export { webhook, type WebhookEndpoint, type WebhookOptions } from "../integrations/webhooks/webhooks.ts";
