import { urlToHttpOptions } from 'node:url';

/** Where the requests to a URL go: the options of a request, and its header `host`. */
export type Address = { readonly options: ReturnType<typeof urlToHttpOptions>; readonly host: string };

const known = new Map<string, Address>();

/** Returns the address of a URL. Kept, because parsing it takes as long as composing the headers of a delivery. */
export function locate(url: string): Address {
  const parsed = known.get(url);
  if (parsed) return parsed;
  const location = new URL(url);
  const address = { options: urlToHttpOptions(location), host: location.host };
  known.set(url, address);
  return address;
}
