/**
 * The weather at `/webtools/weather`, in two versions.
 *
 * @module
 */
import { createServer, type Server } from "jsr:@toolwire/toolwire";
import { webtools } from "jsr:@toolwire/toolwire/webtools";
import { weatherV1, weatherV2 } from "./weather.ts";

/** The server; its type is that of version 2.1.0. */
export const server: Server<typeof weatherV2> = createServer({
  name: "weather",
  version: "2.1.0",
  tools: weatherV2,
  wires: [
    webtools({
      name: "weather",
      description: "Provides weather information",
      version: "2.1.0",
      defaultConfig: { units: "metric" },
      versions: [{ version: "1.0.0", tools: weatherV1, defaultConfig: { units: "metric" } }],
    }),
  ],
});

/** The type of version 1.0.0, for clients. */
export interface WeatherV1 {
  /** Types only. */
  readonly "~tools"?: typeof weatherV1;
}
