/** How many resources a command created, and so on; components count, too. */
export type Changes = {
  readonly created: number;
  readonly updated: number;
  readonly replaced: number;
  readonly deleted: number;
  readonly unchanged: number;
};

const words: Readonly<Record<string, keyof Changes>> = {
  create: 'created',
  update: 'updated',
  replace: 'replaced',
  delete: 'deleted',
  same: 'unchanged',
};

/**
 * Counts the changes in a log of Pulumi's events, one JSON object a line. The plan of a preview counts only
 * if it is asked for.
 */
export function countChanges(log: string, isPreview: boolean): Changes {
  const changes = { created: 0, updated: 0, replaced: 0, deleted: 0, unchanged: 0 };
  const events = log.split('\n').filter(Boolean).map(readEvent);
  const summaries = events.flatMap(({ summaryEvent }) => summaryEvent ?? []);
  const summary = summaries.find((each) => each.isPreview === isPreview)?.resourceChanges ?? {};
  for (const [operation, count] of Object.entries(summary)) {
    const word = words[operation];
    if (word) changes[word] += count;
  }
  return changes;
}

export function describeChanges(changes: Changes): string {
  const told = Object.entries(changes).filter(([, count]) => count > 0);
  return told.map(([word, count]) => `${count} ${word}`).join(', ') || 'nothing done';
}

type Summary = { readonly isPreview: boolean; readonly resourceChanges?: Readonly<Record<string, number>> };
type Event = { readonly summaryEvent?: Summary };

function readEvent(line: string): Event {
  return JSON.parse(line) as Event;
}
