import type { Clock } from "../../internal/time.ts";
import type { Executor } from "../../sandbox/executor.ts";
import type { CallableTools } from "./callable_tools.ts";
import type { ResolvedLimits } from "./limits.ts";

/** What the tools of code mode need of their server. */
export interface CodeModeSettings {
  /** What programs may call now. */
  readonly callable: () => CallableTools;
  readonly executor: Executor;
  readonly limits: ResolvedLimits;
  readonly clock: Clock;
  /** Whether the server has an engine: programs are then jobs, which ask, sleep and survive their process. */
  readonly isDurable: boolean;
}
