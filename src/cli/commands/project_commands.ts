/** Commands that write the files of projects, hosts and packages. */
export { initCommand } from "./init.ts";
export { installCommand } from "./install.ts";
export { packCommand } from "./pack.ts";
export { publishCommand } from "./publish.ts";
