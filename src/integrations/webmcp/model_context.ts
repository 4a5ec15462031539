/** The part of WebMCP that is used, as the draft of the W3C's community group and Chromium 156 have it. */

/** What `execute` gets beside the input. */
interface ModelContextCall {
  /** Aborted when the agent cancels the call. Drafts before August 2026 pass none. */
  readonly signal?: AbortSignal;
}

/** A tool as `registerTool()` of a browser takes it: the definition, and the function that the agent's call runs. */
export interface ModelContextTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly consequentialHint?: true;
    readonly untrustedContentHint?: true;
  };
  readonly execute: (input: unknown, call?: ModelContextCall) => Promise<unknown>;
}

/** `document.modelContext`, where a page registers tools until the signal aborts. */
export interface ModelContext {
  registerTool(
    tool: ModelContextTool,
    options: { readonly signal: AbortSignal; readonly exposedTo?: string[] },
  ): Promise<void>;
}

/** Returns the page's model context. `undefined` in a browser without WebMCP, outside secure contexts, and outside pages. */
export function findModelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as {
    readonly document?: { readonly modelContext?: ModelContext };
    // Where Chrome had it up to version 149.
    readonly navigator?: { readonly modelContext?: ModelContext };
  };
  return document?.modelContext ?? navigator?.modelContext;
}
