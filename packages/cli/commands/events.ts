import type { EventSummary } from '../api/answers.ts';
import { listCommand } from '../list-command.ts';
import { age, nameStatus } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

const columns: readonly Column<EventSummary>[] = [
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

export const eventsCommand = listCommand<EventSummary>({
  name: 'events',
  operation: 'listEvents',
  arguments: [{ name: '[filter]', field: 'q' }],
  options: ['archived'],
  examples: [
    'dlo events',
    "dlo events 'type:order.* status:FAILED_PERMANENTLY failed:>24h'",
    "dlo events 'group:billing' --limit 500 | jq -r .errorReason | sort | uniq -c",
  ],
  columns,
  noun: 'event',
});
