import { listValue } from '../json/list-value.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Message } from './message.ts';

/**
 * The value at a pointer into a form: the field that the first token names, and what the others name in its
 * JSON. Many services send their JSON in a field, such as `payload`. Empty for a message that is not declared
 * as a form.
 */
export function readForm(
  { body, contentType }: Pick<Message, 'body' | 'contentType'>,
  [field = '', ...rest]: readonly string[],
): readonly unknown[] {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')) return [];
  const text = findField(`&${body.toString()}`, field);
  if (text === undefined) return [];
  return rest.length === 0 ? [text] : listValue(parseJson(text), rest);
}

/** Searches the text instead of parsing all fields: a form may have a million. */
function findField(form: string, field: string): string | undefined {
  const [encoded = ''] = new URLSearchParams([[field, '']]).toString().split('=');
  for (const name of [encoded, field]) {
    const at = form.indexOf(`&${name}=`);
    if (at === -1) continue;
    const start = at + name.length + 2;
    const end = form.indexOf('&', start);
    const value = form.slice(start, end === -1 ? undefined : end);
    return new URLSearchParams(`value=${value}`).get('value') ?? undefined;
  }
  return undefined;
}
