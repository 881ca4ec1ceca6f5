import type { RetryConfig } from '../config/retry.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { publishRequest } from '../delivery/worker-requests.ts';
import { ConflictError, RequestFailedError } from '../errors.ts';
import { log } from '../log.ts';

type Request = { readonly actor: string; readonly reason: string };

export const recordTickRequest = statement<Request, never>('record-tick-request');

/** Extends a tick that is running. Throws a ConflictError without a topic, and a RequestFailedError. */
export async function requestTick(
  { db, retry }: { readonly db: Database; readonly retry: RetryConfig<'console'> },
  request: Request,
): Promise<void> {
  const { enabled, continueTopic } = retry;
  if (!enabled) throw new ConflictError('Retries are switched off: set RETRY_ENABLED to true first.');
  if (continueTopic === undefined) {
    throw new ConflictError(
      'No topic for worker requests is configured (CONTINUE_TOPIC): call POST / of the function retry instead.',
    );
  }
  try {
    await publishRequest(continueTopic, { tick: true });
  } catch (error) {
    throw new RequestFailedError('The tick could not be requested.', error);
  }
  // Afterwards: the audit lists only ticks that were requested.
  await recordTickRequest(db, request);
  log('INFO', 'tick requested', { action: 'run-tick' });
}
