/**
 * Returns a text of up to `max` characters that PostgreSQL can store: U+0000 and lone surrogates, which
 * neither text nor jsonb can hold, become U+FFFD. For display only; exact content is stored as bytes.
 */
export function toStorableText(text: string, max = Number.POSITIVE_INFINITY): string {
  return text.slice(0, max).replaceAll('\0', '\uFFFD').toWellFormed();
}
