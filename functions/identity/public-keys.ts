import { IdentityUnavailableError } from '../../shared/errors.ts';

/** Public keys in PEM by their ids. */
type PublicKeys = Readonly<Record<string, string>>;

/** Returns the keys that are valid now; an unknown key id causes a fetch. */
export type Keyring = (keyId: string) => Promise<PublicKeys>;

const minIntervalMs = 60_000;

/**
 * The public keys at a URL, fetched when first needed and cached for the max-age of the response. An unknown
 * key id refreshes them at most once a minute, so that forged tokens cannot flood the server. Throws
 * IdentityUnavailableError.
 */
export function openKeyring(url: string, clock: () => number = Date.now): Keyring {
  let keys: PublicKeys = {};
  let staleAt = 0;
  let refreshableAt = 0;
  let refreshing: Promise<void> | undefined;

  const refresh = async () => {
    const fetched = await fetchKeys(url);
    ({ keys } = fetched);
    staleAt = clock() + fetched.maxAgeMs;
    refreshableAt = clock() + minIntervalMs;
  };
  return async (keyId) => {
    const now = clock();
    if (now < staleAt && (Object.hasOwn(keys, keyId) || now < refreshableAt)) return keys;
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
    return keys;
  };
}

async function fetchKeys(url: string): Promise<{ keys: PublicKeys; maxAgeMs: number }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const [, seconds = 300] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
    const keys = (await response.json()) as PublicKeys;
    return { keys, maxAgeMs: Math.max(Number(seconds) * 1000, minIntervalMs) };
  } catch (error) {
    throw new IdentityUnavailableError(`The keys at ${url} cannot be read right now.`, error);
  }
}
