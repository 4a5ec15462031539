/** The screens of the page, in the order of the rail: one line each. */
import type { ComponentType } from "preact";
import { AccessScreen } from "./access_screen.tsx";
import { ChangesScreen } from "./changes_screen.tsx";
import { FeedScreen } from "./feed_screen.tsx";
import { JobsScreen } from "./jobs_screen.tsx";
import { ModelsScreen } from "./models_screen.tsx";
import { ServerScreen, TokenScreen } from "./other_screens.tsx";
import { PromptsScreen } from "./prompts_screen.tsx";
import { RecordScreen } from "./record_screen.tsx";
import { ResourcesScreen } from "./resources_screen.tsx";
import { ToolsScreen } from "./tools_screen.tsx";

/** A screen of the page. */
export interface PageScreen {
  /** First part of the fragment of its address, and name of its icon. */
  readonly id: string;
  readonly title: string;
  /** Key that opens it, after `g`. */
  readonly key: string;
  readonly View: ComponentType;
}

export const SCREENS: readonly [PageScreen, ...PageScreen[]] = [
  { id: "tools", title: "Tools", key: "t", View: ToolsScreen },
  { id: "feed", title: "Calls", key: "f", View: FeedScreen },
  { id: "jobs", title: "Jobs", key: "j", View: JobsScreen },
  { id: "resources", title: "Resources", key: "r", View: ResourcesScreen },
  { id: "prompts", title: "Prompts", key: "p", View: PromptsScreen },
  { id: "changes", title: "Changes", key: "c", View: ChangesScreen },
  { id: "record", title: "Record", key: "e", View: RecordScreen },
  { id: "list", title: "Models", key: "l", View: ModelsScreen },
  { id: "access", title: "Access", key: "a", View: AccessScreen },
  { id: "token", title: "Token", key: "k", View: TokenScreen },
  { id: "server", title: "Server", key: "s", View: ServerScreen },
];
