import { formatNumber } from '../../../shared/count-of.ts';
import type { Target } from '../api/answers.ts';
import { listCommand } from '../list-command.ts';
import { age } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

const stateStyles: Readonly<Partial<Record<Target['state'], 'red' | 'yellow' | 'green'>>> = {
  up: 'green',
  'nothing-delivered': 'red',
  down: 'red',
  paused: 'yellow',
  held: 'yellow',
};

const atLeast = (events: number, isExact: boolean) =>
  `${formatNumber(events)}${isExact || events === 0 ? '' : '+'}`;

const columns: readonly Column<Target>[] = [
  { title: 'TARGET', value: ({ target }) => target, minWidth: 24, keepsEnd: true },
  { title: 'STATE', value: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { title: 'SINCE', value: ({ since }) => age(since, new Date()), align: 'right', isOptional: true },
  { title: 'WAITING', value: ({ waiting, isExact }) => atLeast(waiting, isExact), align: 'right' },
  {
    title: 'DUE',
    value: ({ due, isDueExact }) => atLeast(due, isDueExact),
    align: 'right',
    isOptional: true,
  },
  {
    title: 'DELIVERED',
    value: ({ latest }) => (latest ? `${latest.delivered} of ${latest.deliveries}` : ''),
    align: 'right',
    isOptional: true,
  },
];

export const targetsCommand = listCommand<Target>({
  name: 'targets',
  operation: 'listTargets',
  examples: ['dlo targets'],
  columns,
  noun: 'target',
  isWhole: true,
});
