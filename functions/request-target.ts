/** The path and the query of a request line, however malformed. */
export function readTarget(url = '/'): { readonly path: string; readonly query: URLSearchParams } {
  // `//orders/1`, from a sender whose base URL ends in a slash, would be a host and a path.
  const { pathname: path = '/', searchParams: query } =
    URL.parse(url.replace(/^\/+/, '/'), 'http://localhost') ?? {};
  return { path, query: query ?? new URLSearchParams() };
}
