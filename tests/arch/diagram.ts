/**
 * The table of layers as a Mermaid diagram.
 *
 * Pure: layers go in, text comes out. Entries are left out, since they may import every layer, and integrations, which no layer of the core
 * imports. An edge that follows from others is left out, too.
 */
import type { Layer } from "./layers.ts";

/** Draws layers, each with its folders; an arrow leads from a layer to one that it imports. */
export function toMermaid(layers: readonly Layer[]): string {
  const drawn = layers.filter(({ name, folders }) => name !== "entry" && !folders.every(isIntegration));
  const edges = new Map(drawn.map((layer) => [layer.name, runtimeImports(layer, drawn)]));
  const lines = drawn.map((layer) => {
    const box = `  ${idOf(layer.name)}["${layer.name}<br/><small>${foldersOf(layer)}</small>"]`;
    const to = reduce(layer.name, edges).map(idOf);
    return to.length === 0 ? box : `${box} --> ${to.join(" & ")}`;
  });
  return ["flowchart TD", ...lines].join("\n");
}

function isIntegration(folder: string): boolean {
  return folder.startsWith("src/integrations/");
}

function idOf(name: string): string {
  return name.replaceAll(" ", "_");
}

function foldersOf({ folders }: Layer): string {
  return folders.map((folder) => folder.replace(/^src\//, "").replace(/\/$/, "")).join(", ");
}

function runtimeImports({ name, imports }: Layer, drawn: readonly Layer[]): readonly string[] {
  return imports.filter((to) => to !== name && drawn.some((layer) => layer.name === to));
}

/** The imports of a layer that none of its other imports reaches. */
function reduce(name: string, edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const direct = edges.get(name) ?? [];
  return direct.filter((to) => !direct.some((other) => other !== to && reaches(other, to, edges)));
}

function reaches(from: string, to: string, edges: ReadonlyMap<string, readonly string[]>): boolean {
  return (edges.get(from) ?? []).some((next) => next === to || reaches(next, to, edges));
}
