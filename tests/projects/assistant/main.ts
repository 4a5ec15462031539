/** The assistant as a server: hosts such as an editor use it over MCP, at http://127.0.0.1:8000/mcp. */
import process from "node:process";
import { serve } from "toolwire/serve";
import { createAssistant } from "./assistant.ts";
import { startCompany } from "./company.ts";

const company = await startCompany();
const { FOLDER: folder = process.cwd(), WEATHER: weather = "http://127.0.0.1:8001/mcp", PORT } = process.env;
const assistant = await createAssistant({ folder, weather, company: company.url });
const { closed } = await serve(assistant, { port: Number(PORT ?? 8000), banner: true, signals: ["SIGINT", "SIGTERM"] });
await closed;
company.close();
