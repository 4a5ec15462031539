/**
 * How much of the traffic between airports passes through each of them: betweenness, by the algorithm of Brandes, one origin at a time.
 *
 * @module
 */

/** The destinations of each airport. */
export type Network = ReadonlyMap<string, readonly string[]>;

/** Makes a network of pairs of origin and destination. */
export function toNetwork(routes: readonly (readonly string[])[]): Network {
  const network = new Map<string, string[]>();
  for (const [origin = "", destination = ""] of routes) {
    network.set(destination, network.get(destination) ?? []);
    network.set(origin, [...network.get(origin) ?? [], destination]);
  }
  return network;
}

/** The shares of all airports in the shortest ways from some origins. */
export function scoreFrom(network: Network, origins: readonly string[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const origin of origins) {
    for (const [airport, share] of shareOf(network, origin)) scores.set(airport, (scores.get(airport) ?? 0) + share);
  }
  return scores;
}

function shareOf(network: Network, origin: string): Map<string, number> {
  const { order, ways, before } = search(network, origin);
  const share = new Map<string, number>();
  for (const airport of order.toReversed()) {
    for (const previous of before.get(airport) ?? []) {
      const part = (ways.get(previous) ?? 0) / (ways.get(airport) ?? 1) * (1 + (share.get(airport) ?? 0));
      share.set(previous, (share.get(previous) ?? 0) + part);
    }
  }
  share.delete(origin);
  return share;
}

/** Breadth first: the airports by distance, the number of shortest ways to each, and the airports before it on these. */
function search(network: Network, origin: string) {
  const distance = new Map([[origin, 0]]);
  const ways = new Map([[origin, 1]]);
  const before = new Map<string, string[]>();
  const order = [origin];
  for (const airport of order) {
    const next = (distance.get(airport) ?? 0) + 1;
    for (const other of network.get(airport) ?? []) {
      if (!distance.has(other)) order.push(other);
      if ((distance.get(other) ?? next) < next) continue;
      distance.set(other, next);
      ways.set(other, (ways.get(other) ?? 0) + (ways.get(airport) ?? 0));
      before.set(other, [...before.get(other) ?? [], airport]);
    }
  }
  return { order, ways, before };
}
