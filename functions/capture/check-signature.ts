import { createHmac, timingSafeEqual } from 'node:crypto';
import { NotAuthorizedError } from '../../shared/errors.ts';

/** Accepted difference between the time of a signature and the clock: covers clock skew, and limits replays. */
const windowSeconds = 300;

/**
 * Verifies the signature of a sender that cannot mint Google tokens: `dlo-signature: t=<seconds since 1970>,v1=<hex>`,
 * where v1 is the HMAC-SHA256 of `<t>.<body>` under one of the shared `secrets`; two secrets allow rotation. Throws
 * NotAuthorizedError. The scheme of Stripe's webhooks (https://docs.stripe.com/webhooks#verify-manually).
 */
export function checkSignature(
  secrets: readonly string[],
  signature: string | undefined,
  body: Buffer,
  nowSeconds: number,
): void {
  const [, time, digest] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
  if (time === undefined || digest === undefined) {
    throw new NotAuthorizedError(
      'Sign the request: dlo-signature: t=<seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">.',
    );
  }
  if (Math.abs(nowSeconds - Number(time)) > windowSeconds) {
    throw new NotAuthorizedError(
      `The signature is older or newer than ${windowSeconds} s: check the sender's clock and sign again.`,
    );
  }
  const given = Buffer.from(digest, 'hex');
  // Tries all secrets: the response time must not reveal which one matched.
  const matches = secrets.map((secret) =>
    timingSafeEqual(given, createHmac('sha256', secret).update(`${time}.`).update(body).digest()),
  );
  if (!matches.includes(true))
    throw new NotAuthorizedError('The signature does not match the body and the secret.');
}
