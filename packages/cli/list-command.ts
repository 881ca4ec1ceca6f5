import { countOf } from '../../shared/count-of.ts';
import type { Page } from './api/answers.ts';
import type { Command } from './command.ts';
import { CommandError } from './command-error.ts';
import { type Column, printTable } from './terminal/table.ts';

const limitOption = { flags: '--limit <number>', text: 'Lists at most this many; 20 by default.' };
const maxPage = 500;

type List<Item> = Omit<Command, 'own' | 'run'> & {
  readonly columns: readonly Column<Item>[];
  /** Names one item. */
  readonly noun: string;
  /** Whether one answer has all items; otherwise it is a page. */
  readonly isWhole?: boolean;
};

/** A command that lists what an operation returns: as a table, or as lines of JSON. */
export function listCommand<Item>({ columns, noun, isWhole = false, ...command }: List<Item>): Command {
  return {
    ...command,
    own: isWhole ? [] : [limitOption],
    run: async ({ api, terminal }, { values, own: { limit = '20' } }) => {
      const max = isWhole ? maxPage : readLimit(limit);
      const items: Item[] = [];
      let next: string | null | undefined;
      do {
        const asked = { limit: Math.min(maxPage, max - items.length), cursor: next };
        const page = await api.call<Page<Item>>(command.operation, { ...values, ...asked });
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < max);
      if (!terminal.isText) for (const item of items) terminal.printJson(item);
      else if (items.length === 0) terminal.print(`No ${noun}s.`);
      else printTable(terminal, columns, items);
      if (terminal.isText && next)
        terminal.note(`\nThe first ${countOf(items.length, noun)}. --limit lists more.`);
      return undefined;
    },
  };
}

function readLimit(limit: unknown): number {
  const max = Number(limit);
  if (Number.isInteger(max) && max > 0) return max;
  throw new CommandError('usage', `--limit "${limit}" is no whole number from 1 on.`);
}
