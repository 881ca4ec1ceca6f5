import type { IdTokenClient } from 'google-auth-library';
import { toStorableText } from '../../database/storable-text.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { inTime } from '../../in-time.ts';
import { log } from '../../log.ts';
import { judge, type Outcome, reasonCodesOfStatus } from './outcome.ts';
import { type Answer, describeError, sendRequest } from './send-request.ts';

const maxKeptChars = 2000;

export type Header = readonly [name: string, value: string];

type Request = {
  readonly url: string;
  readonly headers: readonly Header[];
  /** The audience of the identity token, if the target requires one. */
  readonly audience: string | undefined;
  readonly body: Buffer;
  readonly timeoutSeconds: number;
};

/** Follows no redirect. Never throws: every failure is an outcome, and `read` judges an answer. */
export async function post(request: Request, read: (answer: Answer) => Outcome): Promise<Outcome> {
  const { url, audience, body, timeoutSeconds } = request;
  const endsAt = performance.now() + timeoutSeconds * 1000;
  try {
    const token = audience && authorizeFor(audience);
    const tooLate = 'Timed out while obtaining an identity token.';
    const authorization = token && (await inTime(token, timeoutSeconds * 1000, tooLate));
    const isAuthorization = ([name]: Header) => name.toLowerCase() === 'authorization';
    const isAdded = authorization && !request.headers.some(isAuthorization);
    const headers = [...request.headers, ...(isAdded ? [['authorization', authorization]] : [])].flat();
    return await sendRequest({ url, headers, body, endsAt, timeoutSeconds }, read);
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
