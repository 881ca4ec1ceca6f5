import { listValue } from '../../json/list-value.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Message } from '../message.ts';

/**
 * The value at a pointer into a form: the field that the first token names, and what the others name in its
 * JSON. Many services send their JSON in a field, such as `payload`. Empty for a message that is not declared
 * as a form. Searches the text: a form may have a million fields.
 */
export function readForm(
  { body, contentType }: Pick<Message, 'body' | 'contentType'>,
  [field = '', ...rest]: readonly string[],
): readonly unknown[] {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')) return [];
  const names = [new URLSearchParams([[field, '']]).toString().slice(0, -1), field];
  const escaped = names.map((name) => name.replaceAll(/\W/g, String.raw`\$&`)).join('|');
  const [, value] = new RegExp(`(?:^|&)(?:${escaped})=([^&]*)`).exec(body.toString()) ?? [];
  if (value === undefined) return [];
  const text = new URLSearchParams(`value=${value}`).get('value') ?? '';
  return rest.length === 0 ? [text] : listValue(parseJson(text), rest);
}
