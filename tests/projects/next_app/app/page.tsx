import { createClient, memoryTransport } from "toolwire";
import { server } from "../tools";
import { Letter } from "./letter";

/** A server component calls the tools in this process; the component of the page calls them over HTTP. */
export default async function Page() {
  const { user } = await createClient<typeof server>(memoryTransport(server)).whoami({});
  return (
    <main>
      <p id="user">{user ?? "a stranger"}</p>
      <Letter />
    </main>
  );
}
