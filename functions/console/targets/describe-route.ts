import type { Route } from '../../../shared/routes.ts';
import { formatDuration } from '../parts/time.ts';

const names = {
  eventType: 'type',
  sourceKind: 'kind',
  sourceTopic: 'topic',
  consumerGroup: 'group',
} as const;

/** Which events a route takes, in the words of the filter. */
export function describeMatch({ match }: Route): string {
  const conditions = Object.entries(names).flatMap(([field, word]) => {
    const glob = match[field as keyof typeof names];
    return glob === undefined ? [] : [`${word}:${glob}`];
  });
  return conditions.join(' ') || 'all that no route before it takes';
}

/** How a route retries, in a few words. */
export function describeBackoff({ policy: { backoff, maxRetries } }: Route): string {
  const most = maxRetries === undefined ? '' : `, at most ${maxRetries} times`;
  const time = (seconds: number) => formatDuration(seconds * 1000);
  if (backoff.kind === 'fixed') return `every ${time(backoff.delaySeconds)}${most}`;
  if (backoff.kind === 'schedule')
    return `after ${backoff.delaysSeconds.slice(0, 4).map(time).join(', ')}${backoff.delaysSeconds.length > 4 ? ', …' : ''}${most}`;
  return `from ${time(backoff.baseSeconds)} up to ${time(backoff.capSeconds)}${most}`;
}
