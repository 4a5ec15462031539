/** Commands that are given a server. They load the same modules, so they are loaded together. */
export { benchCommand } from "./bench.ts";
export { callCommand } from "./call.ts";
export { cancelCommand } from "./cancel.ts";
export { checkCommand } from "./check.ts";
export { completeCommand } from "./complete.ts";
export { diffCommand } from "./diff.ts";
export { doctorCommand } from "./doctor.ts";
export { inspectCommand } from "./inspect.ts";
export { listCommand } from "./list.ts";
export { pinCommand } from "./pin.ts";
export { promptCommand } from "./prompt.ts";
export { readCommand } from "./read.ts";
export { recordCommand } from "./record.ts";
export { redeemCommand } from "./redeem.ts";
export { replayCommand } from "./replay.ts";
export { typesCommand } from "./types.ts";
export { watchCommand } from "./watch.ts";
