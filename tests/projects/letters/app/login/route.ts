import { redirect } from "next/navigation";
import { startSession } from "../../session";

/** A real application asks for a password here. */
export async function POST(request: Request) {
  const form = await request.formData();
  await startSession(`${form.get("user")}`);
  redirect("/");
}
