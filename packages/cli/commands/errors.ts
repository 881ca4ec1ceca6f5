import { formatNumber } from '../../../shared/count-of.ts';
import type { Group } from '../api/answers.ts';
import { limitOption, listItems } from '../api/list-items.ts';
import type { Command } from '../command.ts';
import { age } from '../terminal/format.ts';
import { printList } from '../terminal/print-list.ts';
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

export const errorsCommand: Command = {
  name: 'errors',
  operation: 'listGroups',
  arguments: [{ name: '[words]', field: 'words' }],
  options: ['state', 'order', 'direction', 'novelty', 'eventType', 'consumer', 'target', 'owner'],
  own: [limitOption],
  examples: ['dlo errors', 'dlo errors timeout --state OPEN', "dlo events 'fingerprint:v3:4629d7f335f2eefe'"],
  run: async ({ api, terminal }, { values, own: { limit } }) => {
    const list = await listItems<Group>(api, { operation: 'listGroups', values, limit });
    printList(terminal, list, { columns, noun: 'error' });
    return undefined;
  },
};
