import { hash } from 'node:crypto';
import { type Failure, version } from './fingerprint.ts';

/** Different reasons of a type and consumer in a day; new ones after them share a group. */
const maxReasons = 1000;
/** Different reasons of all types and consumers in a day, each some hundred bytes of memory. */
const maxKnown = 100_000;
const dayMs = 86_400_000;

type Day = { readonly endsAt: number; readonly origins: Map<string, Set<string>>; known: number };

let day: Day = { endsAt: 0, origins: new Map(), known: 0 };

/**
 * The fingerprint that stands in for a new one in a flood of reasons, after the first 1000 of its type and
 * consumer that this process has seen in a day; null before them, and for each of these. PostgreSQL uses it
 * unless it knows the group of the failure.
 */
export function crowdOf(
  { eventType, consumer }: Pick<Failure, 'eventType' | 'consumer'>,
  fingerprint: string,
  now = Date.now(),
): string | null {
  if (now >= day.endsAt) day = { endsAt: now + dayMs, origins: new Map(), known: 0 };
  const origin = `${eventType}\n${consumer ?? ''}`;
  const seen = day.origins.get(origin) ?? new Set();
  if (seen.has(fingerprint)) return null;
  if (seen.size < maxReasons && day.known < maxKnown) {
    day.origins.set(origin, seen.add(fingerprint));
    day.known += 1;
    return null;
  }
  return `${crowdPrefix}${hash('sha256', origin).slice(0, 16)}`;
}

/** How the fingerprint of a group of many different reasons begins. */
export const crowdPrefix = `${version}many:`;
