import * as v from 'valibot';
import { isObject } from '../../json/parse-json.ts';
import { defineKind, type SqlContext } from './filter-kind.ts';
import { oneOrMore, TextSchema } from './filter-values.ts';
import { type Json, JsonSchema } from './json-schema.ts';
import { printText, readJson, readText } from './text-values.ts';

export const contain = (sql: string, text: string, { put }: SqlContext) =>
  `${sql} ilike ${put(`%${escapeLike(text)}%`)}::text`;

function joinTexts(columns: readonly string[], { put }: SqlContext): string {
  const separator = `${put('\u001f')}::text`;
  const all = columns.map((sql) => `coalesce(${sql}, ${separator})`);
  return `(${all.join(` || ${separator} || `)})`;
}

export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/**
 * Each word is in one of the columns, which are compared as one text: one comparison costs less than one for
 * each column. Between them is a character that no word has.
 */
export const words = defineKind({
  name: 'words',
  schema: oneOrMore(TextSchema, 10),
  values: 'texts, up to 10',
  says: 'Each of these texts is in {}, in upper or lower case.',
  takes: 'many',
  compare(columns, words, context) {
    const text = columns.length === 1 ? columns[0] : joinTexts(columns, context);
    return words.map((word) => contain(text, word, context)).join(' and ');
  },
  read: (text) => [readText(text)],
  print: (texts) => texts.map(printText),
});

/** A JSON object that headers can contain. */
const JsonObjectSchema = v.pipe(
  JsonSchema,
  v.check((value: Json) => isObject(value), 'Give it as an object: {"name": value}.'),
);

const kindOfJson = (schema: typeof JsonSchema | typeof JsonObjectSchema) =>
  defineKind({
    name: 'contains',
    schema,
    values: 'JSON',
    takes: 'one',
    compare: ([sql], json, { put }) => `${sql} @> ${put(JSON.stringify(json))}::jsonb`,
    read: (text) => [readJson(text)],
    print: (json) => [JSON.stringify(json)],
  });
export const json = kindOfJson(JsonSchema);
export const jsonObject = kindOfJson(JsonObjectSchema);
