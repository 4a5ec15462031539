import { createClient, memoryTransport } from "toolwire";
import { principal } from "../session";
import { server } from "../tools";
import { Letter } from "./letter";

/** A server component calls the tools in this process; the component of the page calls them over HTTP. Both act for the session's user. */
export default async function Page() {
  const caller = await principal();
  if (caller === undefined) {
    return (
      <form method="post" action="/login">
        <input name="user" aria-label="Name" />
        <button type="submit">Sign in</button>
      </form>
    );
  }
  const { user } = await createClient<typeof server>(memoryTransport(server, { principal: caller })).whoami();
  return (
    <main>
      <p id="user">{user}</p>
      <Letter />
    </main>
  );
}
