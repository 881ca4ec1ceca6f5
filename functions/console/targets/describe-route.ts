import type { Route } from '../../../shared/delivery/routes.ts';
import { formatDuration } from '../components/format.ts';

const names = {
  eventType: 'type',
  sourceKind: 'kind',
  sourceTopic: 'topic',
  consumerGroup: 'group',
} as const;

/** The events a route matches, in the text form of the filter. */
export function describeMatch({ match }: Route): string {
  const conditions = Object.entries(names).flatMap(([field, word]) => {
    const glob = match[field as keyof typeof names];
    return glob === undefined ? [] : [`${word}:${glob}`];
  });
  return conditions.join(' ') || 'all other events';
}

/** The retry policy of a route in a few words. */
export function describeBackoff({ policy: { backoff, maxRetries } }: Route): string {
  const limit = maxRetries === undefined ? '' : `, up to ${maxRetries} times`;
  const time = (seconds: number) => formatDuration(seconds * 1000);
  if (backoff.kind === 'fixed') return `every ${time(backoff.delaySeconds)}${limit}`;
  if (backoff.kind === 'schedule')
    return `after ${backoff.delaysSeconds.slice(0, 4).map(time).join(', ')}${backoff.delaysSeconds.length > 4 ? ', …' : ''}${limit}`;
  return `from ${time(backoff.baseSeconds)} up to ${time(backoff.capSeconds)}${limit}`;
}
