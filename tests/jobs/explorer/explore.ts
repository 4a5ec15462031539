/** Visits all worlds within a scope, the nearest first, and reports the shortest way to a fault. */
import { findFault, isOver } from "./invariants.ts";
import { firstWorld, type Scope } from "./scopes.ts";
import { transitionsOf } from "./transitions.ts";
import { keyOf, type World } from "./world.ts";

/** Result of {@link explore}. */
export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** What is wrong, and the shortest way to it. `undefined` if nothing is. */
  readonly fault: { readonly what: string; readonly trace: readonly string[] } | undefined;
}

interface Node {
  readonly world: World;
  readonly from: number;
  readonly by: string;
}

/** Visits all worlds within a scope. */
export async function explore(scope: Scope): Promise<Exploration> {
  const nodes: Node[] = [{ world: firstWorld(scope), from: -1, by: "" }];
  const known = new Map([[keyOf(nodes[0]!.world), 0]]);
  /** The worlds before each one, by transitions that need neither a fault nor a further call. */
  const earlier: number[][] = [[]];
  let transitions = 0;
  for (let at = 0; at < nodes.length; at++) {
    const { world } = nodes[at]!;
    for (const { actor, what, isProgress, after } of await transitionsOf(world, scope)) {
      transitions++;
      const by = `${actor}: ${what}`;
      const fault = findFault(world, after, scope);
      if (fault !== undefined) {
        return { states: nodes.length, transitions, fault: { what: fault, trace: [...traceTo(nodes, at), by] } };
      }
      const key = keyOf(after);
      let index = known.get(key);
      if (index === undefined) {
        known.set(key, index = nodes.length);
        nodes.push({ world: after, from: at, by });
        earlier.push([]);
      }
      if (isProgress && !(scope.isTimely && actor === "time")) earlier[index]!.push(at);
    }
  }
  const stuck = findStuck(nodes, earlier, scope);
  const fault = stuck < 0 ? undefined : { what: "the work never ends", trace: traceTo(nodes, stuck) };
  return { states: nodes.length, transitions, fault };
}

function traceTo(nodes: readonly Node[], node: number): string[] {
  const trace: string[] = [];
  for (let at = node; nodes[at]!.from >= 0; at = nodes[at]!.from) trace.unshift(nodes[at]!.by);
  return trace;
}

/** The first world from which the work does not end without a further fault or call; -1 if there is no such world. */
function findStuck(nodes: readonly Node[], earlier: readonly (readonly number[])[], scope: Scope): number {
  const canEnd = new Uint8Array(nodes.length);
  const open = nodes.flatMap(({ world }, at) => (isOver(world, scope) ? [at] : []));
  for (const at of open) canEnd[at] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const from of earlier[at]!) {
      if (canEnd[from] === 1) continue;
      canEnd[from] = 1;
      open.push(from);
    }
  }
  return canEnd.indexOf(0);
}
