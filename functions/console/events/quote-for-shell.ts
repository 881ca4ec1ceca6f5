/** A text as one word of a shell: in single quotes only the quote itself is special. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
