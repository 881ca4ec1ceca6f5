/**
 * Returns the source of an expression for one of these alternatives in the case in which they are written,
 * within an expression with the flag `i`. One group each: V8 forgets the flag of a group that has
 * alternatives where it compiles without optimization, as it does in a process with many expressions.
 */
export function cased(...alternatives: readonly string[]): string {
  return `(?:${alternatives.map((alternative) => `(?-i:${alternative})`).join('|')})`;
}
