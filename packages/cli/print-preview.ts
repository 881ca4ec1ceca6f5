import { countOf, formatNumber } from '../../shared/count-of.ts';
import type { Preview } from './api/answers.ts';
import { duration, nameStatus } from './terminal/format.ts';
import { printTable, toLine } from './terminal/table.ts';
import type { Terminal } from './terminal/terminal.ts';

type Count = { readonly by: string; readonly value: string; readonly events: number };

const columns = [
  { title: 'EVENTS', value: ({ events }: Count) => formatNumber(events), align: 'right' },
  { title: 'BY', value: ({ by }: Count) => by },
  { title: '', value: ({ value }: Count) => value, minWidth: 30 },
] as const;

/** Prints what a replay would do. */
export function printPreview(terminal: Terminal, preview: Preview): void {
  const { selected, estimatedSeconds, blocked, limits } = preview;
  const { print } = terminal;
  const takes =
    estimatedSeconds === null ? '' : `, in about ${duration(Math.max(1, estimatedSeconds))} at full speed`;
  print(['bold', countOf(selected, 'event')], ` to replay${takes}`);
  if (selected > 0) printTable(terminal, columns, listCounts(preview));
  const warnings = [
    ...describeExcluded(preview),
    ...preview.targets.flatMap(({ target, events, state }) =>
      ['up', 'unused'].includes(state.state)
        ? []
        : [
            `${countOf(events, 'event')} to ${target}: ${state.state.replace('-', ' ')}${state.heldReason ? `, ${state.heldReason}` : ''}.`,
          ],
    ),
    ...(blocked
      ? [`${countOf(blocked.events, 'event')} cannot go now: an earlier event of their key is not selected.`]
      : []),
    ...limits.found.map(
      ({ events, target, effect, part, detail }) =>
        `${countOf(events, 'event')}: ${part} is ${effect.replace('-', ' ')} at ${target}. ${detail}`,
    ),
  ];
  for (const warning of warnings) print(['yellow', toLine(warning)]);
}

export function describeExcluded({ excluded }: Preview): string[] {
  return excluded.map(({ events, meaning }) => `${countOf(events, 'event')} excluded: ${meaning}`);
}

function listCounts({ targets, eventTypes, statuses, errorGroups }: Preview): Count[] {
  return [
    ...targets.map(({ target, events }) => ({ by: 'target', value: target, events })),
    ...eventTypes.largest.map(({ value, events }) => ({ by: 'type', value: value ?? '', events })),
    ...statuses.largest.map(({ value, events }) => ({
      by: 'status',
      value: nameStatus(value ?? ''),
      events,
    })),
    ...errorGroups.largest
      .slice(0, 5)
      .map(({ title = '', events }) => ({ by: 'error', value: title, events })),
  ];
}
