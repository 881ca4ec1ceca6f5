/**
 * Makes a text that PostgreSQL can store: U+0000 and lone surrogates, which neither text nor jsonb can hold,
 * become U+FFFD. For views and messages only; what must stay exact is kept as bytes.
 */
export function toStorableText(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.slice(0, most).replaceAll('\0', '\uFFFD').toWellFormed();
}
