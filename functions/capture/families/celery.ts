import { readerOf } from '../header-value.ts';
import type { Family } from '../message.ts';
import { toCount } from '../text.ts';
import { findFirstDeath } from './rabbitmq.ts';

/**
 * A task of Celery, message protocol 2. No exception travels with it; the broker may tell why it gave it up.
 * https://docs.celeryq.dev/en/stable/internals/protocol.html
 */
export const readCelery: Family = ({ headers }) => {
  const told = readerOf(headers);
  const [task, id, retries] = [told('task'), told('id'), toCount(told('retries'))];
  if (task === null || id === null || (retries === null && told('root_id') === null)) return undefined;
  const death = findFirstDeath(headers);
  return {
    eventKey: `celery:${id}`,
    eventId: id,
    eventType: task,
    errorReason: death?.reason ?? null,
    sourceKind: 'celery',
    ...(death && { sourceTopic: death.exchange, sourceSubscription: death.queue }),
    sourceKey: null,
    sourceAttempts: retries === null ? null : retries + 1,
    occurredAt: null,
  };
};
