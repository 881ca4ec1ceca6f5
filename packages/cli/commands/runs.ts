import { formatNumber } from '../../../shared/count-of.ts';
import type { Run } from '../api/answers.ts';
import { limitOption, listItems } from '../api/list-items.ts';
import type { Command } from '../command.ts';
import { age } from '../terminal/format.ts';
import { printList } from '../terminal/print-list.ts';
import type { Column } from '../terminal/table.ts';

const amount = (title: string, of: (progress: Run['progress']) => number): Column<Run> => ({
  title,
  value: ({ progress }) => formatNumber(of(progress)),
  align: 'right',
});

const columns: readonly Column<Run>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right', style: () => 'cyan' },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'BEGAN', value: ({ createdAt }) => age(createdAt, new Date()), align: 'right' },
  amount('EVENTS', ({ selected }) => selected),
  amount('DELIVERED', ({ delivered }) => delivered),
  {
    ...amount('FAILED', ({ failed }) => failed),
    style: ({ progress }) => (progress.failed > 0 ? 'red' : undefined),
  },
  amount('WAITING', ({ waiting }) => waiting),
  { title: 'WHY', value: ({ reason, requestedBy }) => `${reason ?? ''} (${requestedBy})`, minWidth: 12 },
];

export const runsCommand: Command = {
  name: 'runs',
  operation: 'listRuns',
  own: [limitOption],
  examples: ['dlo runs', 'dlo runs | jq \'select(.state == "paused")\''],
  run: async ({ api, terminal }, { own: { limit } }) => {
    const list = await listItems<Run>(api, { operation: 'listRuns', values: {}, limit });
    printList(terminal, list, { columns, noun: 'replay' });
    return undefined;
  },
};
