/** The results of the conformance suite as JUnit XML, which CI servers show. */
import type { ConformanceResult } from "./suite.ts";

/**
 * Writes results as JUnit XML: a test suite for each binding, a test case for each check. What does not apply is skipped, with its
 * reason.
 */
export function formatJUnit(results: readonly ConformanceResult[]): string {
  const bindings = [...new Set(results.map(({ binding }) => binding))];
  const suites = bindings.map((binding) =>
    formatSuite(binding, results.filter((result) => result.binding === binding))
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}</testsuites>\n`;
}

function formatSuite(binding: string, results: readonly ConformanceResult[]): string {
  const count = (wanted: ConformanceResult["status"]) => results.filter(({ status }) => status === wanted).length;
  const counts = `tests="${results.length}" failures="${count("failed")}" skipped="${count("not applicable")}"`;
  return `<testsuite name="${binding}" ${counts}>\n${results.map(formatCase).join("")}</testsuite>\n`;
}

function formatCase(result: ConformanceResult): string {
  const { binding, specification, section, level, id, title, status, reason = "" } = result;
  const name = escapeXml(`${id} ${level}: ${title}`);
  const open = `<testcase classname="${binding}.${escapeXml(`${specification} ${section}`)}" name="${name}"`;
  if (status === "passed") return `${open}/>\n`;
  if (status === "not applicable") return `${open}><skipped message="${escapeXml(reason)}"/></testcase>\n`;
  const { expected, sent = "", received = "" } = result;
  const text = escapeXml(`expected: ${expected}\n\nsent: ${sent}\n\nreceived: ${received}`);
  return `${open}><failure type="${level}" message="${escapeXml(reason || expected)}">${text}</failure></testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text. Characters that XML 1.0 cannot have are replaced. */
function escapeXml(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}
