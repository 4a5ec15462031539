/**
 * Findings as SARIF, for code scanning.
 *
 * Source: {@link https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html | SARIF 2.1.0}.
 */
import { VERSION } from "../../../src/internal/version.ts";
import { CHECK_RULES, type CheckRule, type Finding } from "./finding.ts";

const RULES = Object.keys(CHECK_RULES) as CheckRule[];

/**
 * Converts findings to a SARIF log of one run, as an object for `JSON.stringify`.
 *
 * @param file File of the target, relative to the working directory, with slashes. Code scanning shows findings at its first line.
 */
export function toSarif(findings: readonly Finding[], file: string | undefined): object {
  const rules = RULES.map((id) => ({ id, shortDescription: { text: CHECK_RULES[id] } }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "toolwire check", version: VERSION, rules } },
      results: findings.map((finding) => toResult(finding, file)),
    }],
  };
}

function toResult({ rule, level, tool, place, message }: Finding, file: string | undefined): object {
  const qualified = [tool, place].filter((part) => part !== undefined && part !== "").join(", ");
  const logical = tool === undefined
    ? { name: "tools", kind: "namespace" }
    : { name: tool, fullyQualifiedName: qualified, kind: "function" };
  const physical = file === undefined
    ? undefined
    : { artifactLocation: { uri: encodeURI(file) }, region: { startLine: 1 } };
  return {
    ruleId: rule,
    ruleIndex: RULES.indexOf(rule),
    level,
    message: { text: qualified === "" ? message : `${qualified}: ${message}` },
    locations: [{ ...(physical && { physicalLocation: physical }), logicalLocations: [logical] }],
    // The same finding in a later run has the same fingerprint, wherever the tool is in the file.
    partialFingerprints: { "toolwire/v1": [rule, tool ?? "", place].join("/") },
  };
}
