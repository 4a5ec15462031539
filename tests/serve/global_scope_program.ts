/** A Worker, created in global scope, with all that a server can have. */
import { createWorker } from "./global_scope.ts";

const { fetch } = createWorker();

export default { fetch };
