import { describeError } from '../describe-error.ts';
import { readRedelivery } from '../event-id.ts';
import type { Guard } from '../guard.ts';
import { type HttpMessage, readHttpMessage, readMessageHeaders } from './http-message.ts';

/** The answer to the sender of a message that failed. */
export type FailedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

type SettledRequest<Result> =
  | { readonly is: 'handled'; readonly result: Result }
  | { readonly is: 'failed'; readonly response: FailedResponse };

const reported: FailedResponse = { status: 204, headers: {}, text: '' };
const left: FailedResponse = { status: 503, headers: {}, text: 'Not handled: send it again.' };

/**
 * Handles the message of a request. A redelivery is not reported: its sender keeps the event, and learns of
 * the failure from the answer.
 */
export async function settleRequest<Result>(
  guard: Guard,
  handle: () => Result | Promise<Result>,
  message: HttpMessage,
): Promise<SettledRequest<Result>> {
  if (readRedelivery(readMessageHeaders(message.headers))) return answerRedelivery(handle);
  const settled = await guard(handle, () => readHttpMessage(message));
  if (settled.is === 'handled') return settled;
  return { is: 'failed', response: settled.is === 'left' ? left : reported };
}

/** Handles a redelivery, and answers its failure by the kind of the error. */
export async function answerRedelivery<Result>(
  handle: () => Result | Promise<Result>,
): Promise<SettledRequest<Result>> {
  try {
    return { is: 'handled', result: await handle() };
  } catch (error) {
    return { is: 'failed', response: toFailedResponse(error) };
  }
}

/** 422 fails the event permanently, 500 retries it, and `Retry-After` says when. */
function toFailedResponse(error: unknown): FailedResponse {
  const { class: name, message, kind, retryAfter } = describeError(error);
  return {
    status: kind === 'permanent' ? 422 : 500,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    text: `${name}: ${message}`,
  };
}
