import { errorResult } from "../../core/call/outcome.ts";
import { nestsDeeperThan } from "../../internal/json.ts";
import type { Limits } from "../../wires/wire.ts";
import type { Middleware } from "../../core/handler/middleware.ts";

const encoder = new TextEncoder();

/** Middleware that applies a part's body limits to arguments, since the whole may allow more. `undefined` without such limits. */
export function holdArguments({ bodyBytes, depth }: Partial<Limits>): readonly Middleware[] {
  if (bodyBytes === undefined && depth === undefined) return [];
  const hold: Middleware = ({ call, tool }, next) => {
    // The arguments of a redeem are a promise token, whose length is limited.
    if (tool.isSystem) return next();
    const text = JSON.stringify(call.args);
    if (bodyBytes !== undefined && encoder.encode(text).length > bodyBytes) {
      return errorResult("payload_too_large", `The arguments are larger than ${bodyBytes} bytes`);
    }
    if (depth !== undefined && nestsDeeperThan(text, depth)) {
      return errorResult("invalid_request", `The arguments nest deeper than ${depth}`);
    }
    return next();
  };
  return [hold];
}
