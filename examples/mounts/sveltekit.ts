/** In a SvelteKit app: the file `src/routes/v/[...path]/+server.ts`. `fallback` answers every method. */
import { createTools } from "./server.ts";

/** What is used of SvelteKit's `RequestEvent`. A hook has set `locals`. */
interface RequestEvent {
  readonly request: Request;
  readonly locals: { readonly user?: { readonly id: string } | undefined };
}

export const { server, work } = createTools("/v");
const handle = server.fetch;
export const fallback = ({ request, locals }: RequestEvent): Promise<Response> =>
  handle(request, { principal: locals.user });
