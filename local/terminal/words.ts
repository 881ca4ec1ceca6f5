/** `1 event`, `2 events`. */
export function countEvents(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}

/** `2 pubsub, 1 report`, without what is zero; a name that stands for all of them needs no number. */
export function listCounts(counts: Iterable<readonly [name: string, count: number]>): string {
  const some = [...counts].filter(([, count]) => count > 0);
  const [only] = some;
  if (only && some.length === 1) return only[1] === 1 ? only[0] : `all ${only[0]}`;
  return some.map(([name, count]) => `${count} ${name}`).join(', ');
}
