import * as v from 'valibot';
import { isObject } from '../../json/parse-json.ts';
import { defineKind, type SqlContext } from './filter-kind.ts';
import { oneOrMore, TextSchema } from './filter-values.ts';
import { type Json, JsonSchema } from './json-schema.ts';
import { printText, readJson, readText } from './text-values.ts';

export const substring = defineKind({
  name: 'substring',
  schema: TextSchema,
  values: 'text',
  says: '{} contains the text, in upper or lower case.',
  takes: 'one',
  compare: ([sql], text, context) => contain(sql, text, context),
  read: (text) => [readText(text)],
  print: (text) => [printText(text)],
});

export const contain = (sql: string, text: string, { put }: SqlContext) =>
  `${sql} ilike ${put(`%${escapeLike(text)}%`)}::text`;

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
    const separator = `${context.put('\u001f')}::text`;
    const all = columns.map((sql) => `coalesce(${sql}, ${separator})`);
    const text = `(${all.join(` || ${separator} || `)})`;
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
