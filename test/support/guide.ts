import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A fenced block of code of a page of the documentation. */
export type Block = { readonly language: string; readonly line: number; readonly code: string };

/** The fenced blocks of a page, in their order; those of one language if it is given. */
export function readBlocks(page: string, language?: string): readonly Block[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^( *)```(\S*)\n(.*?)^ *```$/gms)].map((match) => ({
    language: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
    code: (match[3] ?? '').replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
  }));
  return blocks.filter((block) => language === undefined || block.language === language);
}

/** The block of a page that has a text. Throws if there is none. */
export function findBlock(page: string, part: string): string {
  const found = readBlocks(page).find(({ code }) => code.includes(part));
  if (!found) throw new Error(`${page} has no block with ${part}`);
  return found.code;
}
