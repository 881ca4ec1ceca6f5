import { IdentityUnavailableError } from '../../shared/errors.ts';

/** Public keys in PEM by their ids. */
export type PublicKeys = Readonly<Record<string, string>>;

/** Finds the keys that are valid now, and asks anew for one that is not among them. */
export type Keyring = (keyId: string) => Promise<PublicKeys>;

const shortestMs = 60_000;

/**
 * The public keys that a URL tells: fetched when first needed, and kept for as long as it says. An unknown key id fetches
 * them anew, at most once a minute, so that nobody can make us ask all the time. Throws IdentityUnavailableError.
 */
export function openKeyring(url: string, clock: () => number = Date.now): Keyring {
  let keys: PublicKeys = {};
  let staleAt = 0;
  let askAgainAt = 0;
  let asking: Promise<void> | undefined;

  const ask = async () => {
    const answer = await fetchKeys(url);
    ({ keys } = answer);
    staleAt = clock() + answer.maxAgeMs;
    askAgainAt = clock() + shortestMs;
  };
  return async (keyId) => {
    const now = clock();
    if (now < staleAt && (Object.hasOwn(keys, keyId) || now < askAgainAt)) return keys;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
    return keys;
  };
}

async function fetchKeys(url: string): Promise<{ keys: PublicKeys; maxAgeMs: number }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const [, seconds = 300] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
    const keys = (await response.json()) as PublicKeys;
    return { keys, maxAgeMs: Math.max(Number(seconds) * 1000, shortestMs) };
  } catch (error) {
    throw new IdentityUnavailableError(url, error);
  }
}
