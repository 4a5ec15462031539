/** Everything that is fuzzed: a row for each decoder, by the door that strangers come to it. */
import type { Target } from "./target.ts";
import { clientTargets } from "./targets/clients.ts";
import { connectTarget, grpcWebTarget } from "./targets/connect.ts";
import { documentsTarget } from "./targets/documents.ts";
import { grpcTarget } from "./targets/grpc.ts";
import { mcpLegacyTarget, mcpModernTarget, mcpSessionsTarget } from "./targets/mcp.ts";
import { mcpLiteTarget } from "./targets/mcp_lite.ts";
import { restTarget } from "./targets/rest.ts";
import { stdioTarget } from "./targets/stdio.ts";
import { tokensTarget } from "./targets/tokens.ts";
import { websocketTarget } from "./targets/websocket.ts";
import { webtoolsTarget } from "./targets/webtools.ts";

/** The targets. */
export const TARGETS: readonly Target[] = [
  mcpLiteTarget,
  websocketTarget,
  mcpModernTarget,
  mcpLegacyTarget,
  mcpSessionsTarget,
  connectTarget,
  grpcWebTarget,
  grpcTarget,
  webtoolsTarget,
  restTarget,
  stdioTarget,
  tokensTarget,
  ...clientTargets,
  documentsTarget,
];
