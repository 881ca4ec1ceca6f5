import { toCount } from '../column-values.ts';
import { readHeader } from '../header-values.ts';
import type { DeadLetterFormat } from '../message.ts';
import { findFirstDeath } from './rabbitmq.ts';

/**
 * A Celery task, message protocol 2. It carries no exception; the broker may add the reason of the dead-lettering.
 * https://docs.celeryq.dev/en/stable/internals/protocol.html
 */
export const readCelery: DeadLetterFormat = ({ headers }) => {
  const header = (name: string) => readHeader(headers, name);
  const [task, id, retries] = [header('task'), header('id'), toCount(header('retries'))];
  if (task === null || id === null || (retries === null && header('root_id') === null)) return undefined;
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
