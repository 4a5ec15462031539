/** Who has signed in: a cookie with a signed name, as in the guide on authentication of Next. */
import { jwtVerify, SignJWT } from "jose";
import { cookies } from "next/headers";

const key = new TextEncoder().encode(process.env.SESSION_SECRET ?? "secret of a developer, of 32 bytes or more");

export async function startSession(user: string) {
  const session = await new SignJWT().setSubject(user).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1d")
    .sign(key);
  (await cookies()).set("session", session, { httpOnly: true, sameSite: "lax", path: "/" });
}

/** The user, as tools and pages want it. `undefined` without a session. */
export async function principal() {
  const session = (await cookies()).get("session")?.value;
  if (session === undefined) return undefined;
  const verified = await jwtVerify(session, key).catch(() => undefined);
  return verified?.payload.sub === undefined ? undefined : { id: verified.payload.sub };
}
