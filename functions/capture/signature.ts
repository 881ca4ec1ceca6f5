import { createHmac, timingSafeEqual } from 'node:crypto';
import { NotAuthorizedError } from '../../shared/errors.ts';

/**
 * Accepted difference between the time of a signature and the clock: covers clock skew, and limits replays.
 */
const windowSeconds = 300;

/** Version 1 signs the body; version 2 also signs the headers that say what the event is. */
export type Signature = {
  readonly version: 'v1' | 'v2';
  /** Seconds since 1970, as written. */
  readonly time: string;
  readonly digest: Buffer;
};

/** The names, in lower case, of the headers that version 2 covers. */
export const covered = /^(content-encoding|content-type|idempotency-key|ce-.*|dlo-(?!signature$).*)$/;

/**
 * Reads `dlo-signature: t=<seconds since 1970>,v1=<hex>`, with `v2=<hex>` beside it or in its place. The
 * newest version counts. Throws NotAuthorizedError for a header that is missing, malformed or stale. The
 * scheme of Stripe's webhooks (https://docs.stripe.com/webhooks#verify-manually), and headers.
 */
export function readSignature(header: string | undefined, nowSeconds: number): Signature {
  const [, time, v1, v2] =
    /^t=(\d{1,12})(?=,)(?:,v1=([0-9a-f]{64}))?(?:,v2=([0-9a-f]{64}))?$/.exec(header ?? '') ?? [];
  const digest = v2 ?? v1;
  if (time === undefined || digest === undefined) {
    throw new NotAuthorizedError('Sign the request: dlo-signature: t=<seconds>,v2=<hex> (docs/capture.md).');
  }
  if (Math.abs(nowSeconds - Number(time)) > windowSeconds) {
    throw new NotAuthorizedError(
      `The signature is older or newer than ${windowSeconds} s: check the sender's clock and sign again.`,
    );
  }
  return { version: v2 === undefined ? 'v1' : 'v2', time, digest: Buffer.from(digest, 'hex') };
}

/** The signed content: the names and values of all headers, and the bytes of the body as they were sent. */
export type Signed = { readonly rawHeaders: readonly string[]; readonly body: Buffer };

/**
 * Verifies a signature under one of the shared `secrets`; two secrets allow rotation. Throws
 * NotAuthorizedError.
 */
export function verifySignature(secrets: readonly string[], signature: Signature, signed: Signed): void {
  const headers = printHeaders(signed);
  const prefix = `${signature.time}.${signature.version === 'v2' ? `${headers}.` : ''}`;
  if (signature.version === 'v1' && (/^content-encoding:/m.test(headers) || isAmbiguous(signed.body))) {
    throw new NotAuthorizedError(
      'A body with a content-encoding, or that begins like signed headers, needs a signature of version 2.',
    );
  }
  // Header values are bytes, which Node.js decodes as Latin-1.
  const digestBy = (secret: string) =>
    createHmac('sha256', secret).update(prefix, 'latin1').update(signed.body).digest();
  // Tries all secrets: the response time must not reveal which one matched.
  const matches = secrets.map((secret) => timingSafeEqual(signature.digest, digestBy(secret)));
  if (matches.includes(true)) return;
  throw new NotAuthorizedError('The signature does not match the request and the secret.');
}

/** The covered headers, sorted by name, `<name>:<value>` and a line feed each. */
function printHeaders({ rawHeaders }: Signed): string {
  const signed = Object.entries(joinHeaders(rawHeaders)).filter(([name]) => covered.test(name));
  const sorted = signed.sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}:${value}\n`).join('');
}

/** By their names in lower case; repeats are joined by commas. */
export function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]?.toLowerCase() ?? '', rawHeaders[i + 1] ?? ''];
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/**
 * The same bytes would be signed by version 2 for a request with headers: a signature of one must not pass
 * for the other.
 */
function isAmbiguous(body: Buffer): boolean {
  const start = body.subarray(0, 65_536).toString('latin1');
  const [, name = ''] = /^([^:\n]*):[^\n]*\n/.exec(start) ?? [];
  return start.startsWith('.') || covered.test(name);
}
