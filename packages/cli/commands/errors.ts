import { formatNumber } from '../../../shared/count-of.ts';
import type { Group } from '../api/answers.ts';
import { listCommand } from '../list-command.ts';
import { age } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

const columns: readonly Column<Group>[] = [
  { title: 'ERROR', value: ({ title, fingerprint }) => title ?? fingerprint, minWidth: 16 },
  { title: 'OPEN', value: ({ open }) => formatNumber(open), align: 'right' },
  {
    title: 'FAILED',
    value: ({ failedPermanently }) => formatNumber(failedPermanently),
    align: 'right',
    style: ({ failedPermanently }) => (failedPermanently > 0 ? 'red' : undefined),
  },
  { title: 'LAST', value: ({ lastSeenAt }) => age(lastSeenAt, new Date()), align: 'right' },
  { title: 'STATE', value: ({ state }) => state.toLowerCase() },
  { title: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint, style: () => 'cyan' },
];

export const errorsCommand = listCommand<Group>({
  name: 'errors',
  operation: 'listGroups',
  arguments: [{ name: '[words]', field: 'words' }],
  options: ['state', 'order', 'novelty', 'eventType', 'consumer', 'target', 'owner'],
  examples: ['dlo errors', 'dlo errors timeout --state OPEN', "dlo events 'fingerprint:v3:4629d7f335f2eefe'"],
  columns,
  noun: 'error',
});
