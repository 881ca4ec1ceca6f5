import { formatNumber } from '../../../shared/count-of.ts';
import type { Run } from '../api/answers.ts';
import { listCommand } from '../list-command.ts';
import { age } from '../terminal/format.ts';
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

export const runsCommand = listCommand<Run>({
  name: 'runs',
  operation: 'listRuns',
  examples: ['dlo runs', 'dlo runs | jq \'select(.state == "paused")\''],
  columns,
  noun: 'replay',
});
