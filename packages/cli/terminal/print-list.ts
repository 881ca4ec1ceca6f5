import { countOf } from '../../../shared/count-of.ts';
import type { List } from '../api/list-items.ts';
import { type Column, printTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Prints a list as a table, or as lines of JSON. `noun`: what its items are. */
export function printList<Item>(
  terminal: Terminal,
  { items, isComplete }: List<Item>,
  { columns, noun }: { readonly columns: readonly Column<Item>[]; readonly noun: string },
): void {
  if (!terminal.isText) for (const item of items) terminal.printJson(item);
  else if (items.length === 0) terminal.print(`No ${noun}s.`);
  else printTable(terminal, columns, items);
  if (terminal.isText && !isComplete)
    terminal.note(`\nThe first ${countOf(items.length, noun)}. --limit lists more.`);
}
