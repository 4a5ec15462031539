/** Compares the names with the package of the conventions. */
import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  ATTR_ERROR_TYPE,
  ATTR_RPC_METHOD,
  ATTR_RPC_STATUS_CODE,
  ATTR_RPC_SYSTEM_NAME,
  METRIC_RPC_CLIENT_CALL_DURATION,
  METRIC_RPC_SERVER_CALL_DURATION,
} from "@opentelemetry/semantic-conventions";
import {
  CLIENT_CALL_DURATION,
  ERROR_TYPE,
  RPC_METHOD,
  RPC_STATUS_CODE,
  RPC_SYSTEM_NAME,
  SERVER_CALL_DURATION,
} from "../../../src/integrations/otel/telemetry.ts";

for (
  const [ours, theirs] of [
    [RPC_SYSTEM_NAME, ATTR_RPC_SYSTEM_NAME],
    [RPC_METHOD, ATTR_RPC_METHOD],
    [RPC_STATUS_CODE, ATTR_RPC_STATUS_CODE],
    [ERROR_TYPE, ATTR_ERROR_TYPE],
    [SERVER_CALL_DURATION, METRIC_RPC_SERVER_CALL_DURATION],
    [CLIENT_CALL_DURATION, METRIC_RPC_CLIENT_CALL_DURATION],
  ]
) {
  test(`${theirs} is what the conventions call it`, () => strictEqual(ours, theirs));
}
