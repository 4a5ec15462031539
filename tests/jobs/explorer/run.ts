/** Explores all scopes until a fault is found, and prints it. The process of a version with a planted fault. */
import { explore } from "./explore.ts";
import { SCOPES } from "./scopes.ts";

/** Exit code, which is not that of a program that does not run. */
const FOUND = 3;

for (const scope of SCOPES) {
  const { fault } = await explore(scope);
  if (fault === undefined) continue;
  console.log(`${scope.name}: ${fault.what}\n  ${fault.trace.join("\n  ")}`);
  process.exit(FOUND);
}
