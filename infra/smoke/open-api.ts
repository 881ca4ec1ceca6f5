/** Calls of the replay API. Each throws an Error with the status and the body of a failure. */
export type Api = {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: object): Promise<Body>;
};

/** Opens the API at `url` for the user who is logged in to gcloud. */
export function openApi(url: string, gcloud: (args: readonly string[]) => Promise<string>): Api {
  let token: Promise<string> | undefined;
  const call = async <Body>(path: string, init: RequestInit): Promise<Body> => {
    token ??= gcloud(['auth', 'print-identity-token']);
    const headers = { authorization: `Bearer ${(await token).trim()}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { ...init, headers });
    if (response.ok) return (await response.json()) as Body;
    const remedy = response.status === 403 ? ' Only users in the setting operators may call it.' : '';
    throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 300)}${remedy}`);
  };
  return {
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}
