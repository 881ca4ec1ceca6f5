import { formatNumber } from '../../../shared/count-of.ts';
import { act } from '../act.ts';
import type { Target } from '../api/answers.ts';
import type { Command } from '../command.ts';
import { age } from '../terminal/format.ts';
import { printList } from '../terminal/print-list.ts';
import type { Column } from '../terminal/table.ts';

const stateStyles: Readonly<Record<string, 'red' | 'yellow' | 'green'>> = {
  up: 'green',
  'nothing-delivered': 'red',
  down: 'red',
  paused: 'yellow',
  held: 'yellow',
};

const columns: readonly Column<Target>[] = [
  { title: 'TARGET', value: ({ target }) => target, minWidth: 24 },
  { title: 'STATE', value: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { title: 'SINCE', value: ({ since }) => age(since, new Date()), align: 'right' },
  { title: 'WAITING', value: ({ waiting }) => formatNumber(waiting), align: 'right' },
  { title: 'DUE', value: ({ due }) => formatNumber(due), align: 'right' },
  {
    title: 'DELIVERED',
    value: ({ latest }) => (latest ? `${latest.delivered} of ${latest.deliveries}` : ''),
    align: 'right',
  },
];

export const targetsCommand: Command = {
  name: 'targets',
  operation: 'listTargets',
  examples: ['dlo targets'],
  run: async ({ api, terminal }) => {
    const { items } = await api.call<{ items: readonly Target[] }>('listTargets');
    printList(terminal, { items, isComplete: true }, { columns, noun: 'target' });
    return undefined;
  },
};

const targetArgument = { name: '<target>', field: 'target', text: 'The URL or topic of the target.' };

export const holdCommand: Command = {
  name: 'hold',
  operation: 'holdTarget',
  arguments: [targetArgument],
  options: ['reason', 'until'],
  examples: ["dlo hold https://billing.example/orders --reason 'deployment' --until 2026-03-01T12:00:00Z"],
  run: (context, input) =>
    act<Target>(context, input, {
      operation: 'holdTarget',
      describe: ({ target }) => `${target} is held. Release it again: dlo release ${target}`,
    }),
};

export const releaseCommand: Command = {
  name: 'release',
  operation: 'releaseTarget',
  arguments: [targetArgument],
  options: ['reason'],
  examples: ["dlo release https://billing.example/orders --reason 'deployed'"],
  run: (context, input) =>
    act<Target>(context, input, {
      operation: 'releaseTarget',
      describe: ({ target, waiting }) => `${target} is released: ${formatNumber(waiting)} waiting.`,
    }),
};
