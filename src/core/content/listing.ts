import type { ContentAnnotations, Icon, ResourceDescription } from "../call/content.ts";
import { omitUndefined } from "../../internal/json.ts";
import type { PromptDefinition } from "./prompt.ts";
import type { ResourceDefinition } from "./resource.ts";

/** A prompt's argument as it is listed. */
export interface PromptArgumentListing {
  /** Its name. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What it is for. */
  readonly description?: string;
  /** Whether it has to be given. */
  readonly required?: boolean;
}

/** A prompt as it is listed to callers. Members that are absent are left out. */
export interface PromptListing {
  /** Unique on a server. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What the prompt is for. */
  readonly description: string;
  /** Images that stand for it. */
  readonly icons?: readonly Icon[];
  /** What it takes, in order. */
  readonly arguments?: readonly PromptArgumentListing[];
  /** The prompt's own metadata. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A resource as it is listed to callers. Members that are absent are left out. */
export interface ResourceListing extends ResourceDescription {
  /** Hints on its use. */
  readonly annotations?: ContentAnnotations;
  /** The resource's own metadata. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A template of resources as it is listed to callers. Members that are absent are left out. */
export interface ResourceTemplateListing extends Omit<ResourceListing, "uri" | "size"> {
  /** Gives their URIs (RFC 6570). */
  readonly uriTemplate: string;
}

/** Describes a prompt to callers. */
export function listPrompt(plan: PromptDefinition): PromptListing {
  const { name, title, description, icons, arguments: args, meta } = plan;
  return {
    name,
    ...omitUndefined({ title }),
    description,
    ...omitUndefined({ icons, arguments: args.length > 0 ? args : undefined, _meta: meta }),
  };
}

/** Describes a resource with a URI of its own to callers. */
export function listResource(plan: ResourceDefinition): ResourceListing {
  const { uri, size } = plan;
  return { uri, ...commonMembers(plan), ...omitUndefined({ size }) };
}

/** Describes a template of resources to callers. */
export function listTemplate(plan: ResourceDefinition): ResourceTemplateListing {
  return { uriTemplate: plan.uri, ...commonMembers(plan) };
}

function commonMembers(plan: ResourceDefinition): Omit<ResourceListing, "uri"> {
  const { name, title, description, icons, mimeType, annotations, meta } = plan;
  return { name, ...omitUndefined({ title, description, icons, mimeType, annotations, _meta: meta }) };
}
