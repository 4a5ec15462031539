/** In a SvelteKit app: the file `src/routes/v/[...path]/+server.ts`. `fallback` answers every method. */
import { server } from "./server.ts";

/** What is used of SvelteKit's `RequestEvent`. */
interface RequestEvent {
  readonly request: Request;
}

const handle = server.fetch;
export const fallback = ({ request }: RequestEvent): Promise<Response> => handle(request);
