import { setTimeout as sleep } from 'node:timers/promises';
import type { IdTokenClient } from 'google-auth-library';
import { toStorableText } from '../../database/storable-text.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { log } from '../../log.ts';
import { judge, type Outcome, reasonCodesOfStatus } from './outcome.ts';
import { type Answer, describeError, locate, sendRequest } from './send-request.ts';

const maxKeptChars = 2000;

export type Header = readonly [name: string, value: string];

/** Additions of the configuration to the requests of a target. */
type TargetHeaders = {
  /** The audience of the identity token, if the target requires one. */
  readonly audience?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

export type Request = {
  readonly url: string;
  /** Its headers replace those in `messageHeaders`; the identity token is for its audience. */
  readonly target: TargetHeaders;
  readonly messageHeaders: readonly Header[];
  /** Headers that the configuration cannot set or replace. */
  readonly deliveryHeaders: readonly Header[];
  readonly body: Buffer;
  readonly timeoutSeconds: number;
};

/** Follows no redirect. Never throws: every failure is an outcome, and `read` judges an answer. */
export async function post(request: Request, read: (answer: Answer) => Outcome): Promise<Outcome> {
  const endsAt = performance.now() + request.timeoutSeconds * 1000;
  try {
    const { audience } = request.target;
    const authorization =
      audience === undefined ? undefined : await beforeEnd(endsAt, authorizeFor(audience));
    const { url, body, timeoutSeconds } = request;
    const headers = composeHeaders(request, authorization);
    return await sendRequest({ address: locate(url), headers, body, endsAt, timeoutSeconds }, read);
  } catch (error) {
    return { ...judge(['unsent']), error: describeError(error) };
  }
}

/** Returns the outcome of an answer by its status, with the beginning of its body. */
export function judgeAnswer({ status, text, retryAfterSeconds }: Answer): Outcome {
  const answer = {
    ...judge(reasonCodesOfStatus(status)),
    responseStatus: status,
    responseBody: toStorableText(text, maxKeptChars),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  return answer.kind === 'delivered'
    ? answer
    : { ...answer, error: `HTTP ${status}: ${text.slice(0, 200) || 'no body'}` };
}

/** Waits for work that has no timeout of its own, until `endsAt`. */
async function beforeEnd<T>(endsAt: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const timeout = sleep(endsAt - performance.now(), undefined, { signal: timer.signal }).then(() => {
    throw new Error('Timed out while obtaining an identity token.');
  });
  return Promise.race([work, timeout]).finally(() => timer.abort());
}

function composeHeaders(
  { url, target, messageHeaders, deliveryHeaders, body }: Request,
  authorization?: string,
): string[] {
  const configured = Object.entries(target.headers);
  const names = new Set(configured.map(([name]) => name.toLowerCase()));
  const replaceable: Header[] = [
    ['host', locate(url).host],
    ...messageHeaders,
    ...(authorization ? [['authorization', authorization] as const] : []),
  ];
  return [
    ...replaceable.filter(([name]) => !names.has(name.toLowerCase())),
    ...configured,
    ['content-length', String(body.length)],
    ...deliveryHeaders,
  ].flat();
}

const clients = new Map<string, Promise<IdTokenClient | undefined>>();

/**
 * The client caches the token until shortly before it expires. Returns undefined if the credentials cannot
 * mint one, such as a user's login on a laptop. On Google Cloud that throws instead: the target would reject
 * a delivery without a token.
 */
async function authorizeFor(audience: string): Promise<string | undefined> {
  const opening = getOrInsert(clients, audience, () => openClient(audience));
  const client = await opening.catch((error) => {
    clients.delete(audience);
    throw error;
  });
  const headers = await client?.getRequestHeaders();
  return headers?.get('authorization') ?? undefined;
}

async function openClient(audience: string): Promise<IdTokenClient | undefined> {
  const { GoogleAuth } = await import('google-auth-library');
  try {
    return await new GoogleAuth().getIdTokenClient(audience);
  } catch (error) {
    if (process.env.K_SERVICE) throw error;
    log('WARNING', `Delivering to ${audience} without an identity token: these credentials cannot mint one.`);
    return undefined;
  }
}
