// Which feature of MCP a scenario needs, and whether the server declares it: a scenario says something only about a server that does.

/** Features by the beginning of the names of scenarios. Other scenarios are about what every server has. */
const FEATURES = [
  ["completion", "completions"],
  ["logging", "logging"],
  ["tools-call-with-logging", "logging"],
  ["prompts", "prompts"],
  ["resources-subscribe", "resources.subscribe"],
  ["resources-unsubscribe", "resources.subscribe"],
  ["resources", "resources"],
  ["sep-2164-resource", "resources"],
  ["sep-2640-skills", "io.modelcontextprotocol/skills"],
  ["tasks", "io.modelcontextprotocol/tasks"],
  ["tools", "tools"],
];

const PREFIX = "io.modelcontextprotocol/";
const CLIENT = { name: "conformance", version: "1.0.0" };

/** The feature that a scenario needs; `undefined` for one that every server has. */
export function featureOf(scenario) {
  return FEATURES.find(([start]) => scenario.startsWith(start))?.[1];
}

/** The features that a server declares, in the revisions with `initialize` and in 2026-07-28. */
export async function declaredFeatures(url) {
  const meta = { protocolVersion: "2026-07-28", clientInfo: CLIENT, clientCapabilities: {} };
  const _meta = Object.fromEntries(Object.entries(meta).map(([name, value]) => [PREFIX + name, value]));
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
  const legacy = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT };
  const all = [
    await readCapabilities(url, "initialize", legacy),
    await readCapabilities(url, "server/discover", { _meta }, headers),
  ];
  return new Set(all.flatMap(namesOf));
}

async function readCapabilities(url, method, params, headers = {}) {
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { ...json, ...headers }, body });
  const text = await response.text();
  const { result } = JSON.parse(/^data: ?(\{.*)$/m.exec(text)?.[1] ?? text);
  if (result?.capabilities !== undefined) return result.capabilities;
  throw new Error(`${method} of ${url} gives no capabilities: ${response.status} ${text.slice(0, 200)}`);
}

/** Names of the features in an object of capabilities. */
export function namesOf({ extensions = {}, ...capabilities }) {
  const subscribe = capabilities.resources?.subscribe === true ? ["resources.subscribe"] : [];
  return [...Object.keys(capabilities), ...subscribe, ...Object.keys(extensions)];
}

/** A cell for the table: the feature, and whether it is declared. */
export function formatFeature(scenario, declared) {
  const feature = featureOf(scenario);
  if (feature === undefined) return "–";
  const name = feature.replace(PREFIX, "");
  return declared.has(feature) ? name : `${name}, not declared`;
}

/** Scenarios that pass although the server does not declare their feature: such a result says nothing. */
export function passedUndeclared(scenarios, declared) {
  return [...scenarios].flatMap(([name, { state }]) => {
    const feature = featureOf(name);
    if (state !== "passed" || feature === undefined || declared.has(feature)) return [];
    return [`${name} passes, but the server does not declare ${feature}`];
  });
}
