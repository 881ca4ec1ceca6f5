/** Where the requests to a URL go: the origin of their connections, their path, and their header `host`. */
export type Address = { readonly origin: string; readonly path: string; readonly host: string };

const known = new Map<string, Address>();

/**
 * Returns the address of a URL. Kept, because parsing it takes as long as composing the headers of a
 * delivery.
 */
export function locate(url: string): Address {
  const parsed = known.get(url);
  if (parsed) return parsed;
  const { origin, pathname, search, host } = new URL(url);
  const address = { origin, path: `${pathname}${search}`, host };
  known.set(url, address);
  return address;
}
