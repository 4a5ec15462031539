/**
 * The console: a page that a server serves of itself, to look at its tools, call them, and watch calls.
 *
 * @module
 */
export { type ConsoleOptions, consolePage } from "../console/console_page.ts";
