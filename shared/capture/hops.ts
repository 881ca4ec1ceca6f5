/**
 * The index of the hop at which the latest consumer of a record failed first, if each hop appended its consumer. Another
 * consumer that fails on a dead letter is a failure of its own, at the position of that dead letter; the same consumer that
 * fails again is still the failure of the original record. The first hop, if some hops named no consumer.
 */
export function findHop(consumers: readonly (string | null)[], hops: number): number {
  return consumers.length === hops ? Math.max(0, consumers.indexOf(consumers.at(-1) ?? null)) : 0;
}
