import { CommandError } from '../command-error.ts';
import type { Page } from './answers.ts';
import type { Api, Values } from './api.ts';

/** The option of every list. */
export const limitOption = { flags: '--limit <number>', text: 'Lists at most this many; 20 by default.' };

export type List<Item> = { readonly items: readonly Item[]; readonly isComplete: boolean };

const maxPage = 500;

/** Lists items, page by page, up to the `--limit`. */
export async function listItems<Item>(
  api: Api,
  { operation, values, limit = '20' }: { operation: string; values: Values; limit: unknown },
): Promise<List<Item>> {
  const max = Number(limit);
  if (!Number.isInteger(max) || max < 1)
    throw new CommandError('usage', `--limit "${limit}" is no whole number from 1 on.`);
  const items: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const size = Math.min(maxPage, max - items.length);
    const page: Page<Item> = await api.call(operation, { ...values, limit: size, cursor });
    items.push(...page.items);
    if (page.next === null || items.length >= max) return { items, isComplete: page.next === null };
    cursor = page.next;
  }
}
