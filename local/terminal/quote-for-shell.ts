/**
 * Returns a word of a POSIX shell for a text: as it is, or in single quotes if the shell would read it
 * differently.
 */
export function quoteForShell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
