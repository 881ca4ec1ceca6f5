import type { EventSummary } from '../api/answers.ts';
import { limitOption, listItems } from '../api/list-items.ts';
import type { Command } from '../command.ts';
import { age, nameStatus } from '../terminal/format.ts';
import { printList } from '../terminal/print-list.ts';
import type { Column } from '../terminal/table.ts';

/** The columns of events. */
export const eventColumns: readonly Column<EventSummary>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right', style: () => 'cyan' },
  {
    title: 'STATUS',
    value: ({ status }) => nameStatus(status),
    style: ({ status }) => (status === 'FAILED_PERMANENTLY' ? 'red' : undefined),
  },
  { title: 'TYPE', value: ({ eventType }) => eventType, maxWidth: 24 },
  { title: 'FAILED', value: ({ failedAt }) => age(failedAt, new Date()), align: 'right' },
  { title: 'REASON', value: describeReason, minWidth: 20 },
];

/** Why its consumer failed. */
export function describeReason({
  errorClass,
  errorReason,
}: Pick<EventSummary, 'errorClass' | 'errorReason'>): string {
  return errorClass === null ? errorReason : `${errorClass}: ${errorReason}`;
}

export const eventsCommand: Command = {
  name: 'events',
  operation: 'listEvents',
  arguments: [{ name: '[filter]', field: 'q' }],
  options: ['archived'],
  own: [limitOption],
  examples: [
    'dlo events',
    "dlo events 'type:order.* status:FAILED_PERMANENTLY failed:>24h'",
    "dlo events 'group:billing' --limit 500 | jq -r .errorReason | sort | uniq -c",
  ],
  run: async ({ api, terminal }, { values, own: { limit } }) => {
    const list = await listItems<EventSummary>(api, { operation: 'listEvents', values, limit });
    printList(terminal, list, { columns: eventColumns, noun: 'event' });
    return undefined;
  },
};
