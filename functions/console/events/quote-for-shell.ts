import { invisible } from '../components/visible-text.ts';

/**
 * A text as one word of a shell: in single quotes only the quote itself is special. Invisible characters are
 * written as bytes.
 */
export function quoteForShell(text: string): string {
  if (text.search(invisible) === -1) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = (character: string) =>
    Buffer.from(character).toString('hex').replaceAll(/../g, String.raw`\x$&`);
  return `$'${text.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(invisible, bytes)}'`;
}
