/** The session of an application, for frameworks without one: here a plain cookie; applications sign it. */
export function userOf(request: Request): Promise<string | undefined> {
  return Promise.resolve(/(?:^|; )user=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1]);
}

/** Answers `/login` as the routes of such an application do, and passes on the rest. */
export const withLogin =
  (answer: (request: Request) => Promise<Response>) => async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/v/page") return new Response("page");
    if (pathname !== "/login") return await answer(request);
    const { user } = await request.json();
    return new Response(null, { headers: { "set-cookie": `user=${user}; HttpOnly` } });
  };
