/** Guarantees of views of MCP Apps: the page has them in a list, with the tests that show them. */
import { type FaultGuarantee, renderFaults } from "./durable.ts";

const FOLDER = "tests/integrations/apps";
const PAGES = `${FOLDER}/views_test.ts`;
const VIEW = `${FOLDER}/connect_view_test.ts`;

/** See {@link FaultGuarantee}. */
export const appGuarantees: readonly FaultGuarantee[] = [
  {
    fault: "messages of other windows, silent hosts, a page's URI taken by another server",
    statement:
      "A view sends nothing before the handshake, ignores other windows, and ends without a host. A URI is of one page. Scopes decide who calls.",
    tests: {
      [VIEW]: [
        "nothing but the handshake is sent",
        "messages of other windows, and of other protocols, are ignored",
        "a page without a host is an error",
      ],
      [PAGES]: [
        "two pages at one URI are refused",
        "two servers with the same URI do not mix",
        "scopes decide who may call it",
      ],
    },
  },
];

/** The section of the page. */
export function renderApps(): string {
  return renderFaults("MCP Apps", "[Views](apps.md) of tools.", appGuarantees);
}
