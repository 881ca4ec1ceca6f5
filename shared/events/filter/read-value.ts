import type { FieldKind } from './filter-fields.ts';
import { findDay } from './filter-time.ts';
import { type Misreading, misread, type Span, type TextReader, take } from './text-reader.ts';

/** A value in a text, with the sign before it if it is a time or a number. */
export type TextValue = Span & { readonly value: unknown; readonly sign: '<' | '>' | '=' };

type ReadResult = TextValue | Misreading;

/** Reads the values of a condition, by the kind of its field. */
export const valueReaders = {
  words: (reader: TextReader) => [readText(reader, /[^\s"]+/y)],
  identifiers: readList,
  ids: readList,
  status: readStatuses,
  'one of': readList,
  globs: readList,
  substring: (reader: TextReader) => [readText(reader, /[^\s"]+/y)],
  after: readTime,
  before: readTime,
  'due after': readDueTime,
  'due before': readDueTime,
  range: readNumber,
  run: (reader: TextReader) => [readText(reader, /[^\s"]+/y)],
  contains: readJson,
} satisfies Readonly<Record<FieldKind, (reader: TextReader) => ReadResult[]>>;

function readList(reader: TextReader): ReadResult[] {
  const texts: ReadResult[] = [];
  do texts.push(readText(reader, /[^\s",]+/y));
  while (take(reader, /,/y));
  return texts;
}

/** `open` and `failed` are the statuses that users mean by them. */
function readStatuses(reader: TextReader): ReadResult[] {
  return readList(reader).flatMap((read) => {
    const statuses = 'remedy' in read ? undefined : statusesOf[String(read.value).toLowerCase()];
    return statuses ? statuses.map((value) => ({ ...read, value }) as TextValue) : [read];
  });
}

const statusesOf: Readonly<Record<string, readonly string[]>> = {
  open: ['PENDING', 'PROCESSING'],
  failed: ['FAILED_PERMANENTLY'],
  delivered: ['SUCCEEDED'],
};

/** Reads one or more words that stand alone: a quoted text, or everything up to the next space. */
export function readBareText(reader: TextReader): ReadResult {
  if (reader.text[reader.at] === '"') return readText(reader, /(?!)/y);
  return readText(reader, /([^\s"]|"([^"\\]|\\.)*")+/sy);
}

function readText(reader: TextReader, bare: RegExp): ReadResult {
  const from = reader.at;
  const text = take(reader, bare);
  if (text !== undefined) return { from, to: reader.at, value: text, sign: '=' };
  const quoted = take(reader, /"([^"\\]|\\.)*"/sy);
  if (quoted !== undefined) return parse(reader, from, escapeControls(quoted));
  if (take(reader, /".*/sy)) return misread(reader, from, 'Close this quote.');
  return misread(reader, from, 'Write a value here, in quotes if there are spaces in it.');
}

function readTime(reader: TextReader): ReadResult[] {
  const from = reader.at;
  const [sign, time] = [take(reader, /[<>]=?/y)?.[0], take(reader, /[^\s"]+/y)];
  const span = { from, to: reader.at };
  if (sign && time) return [{ ...span, value: time, sign: sign === '<' ? '<' : '>' }];
  const day = time === undefined ? undefined : findDay(time);
  if (day) {
    const [after, before] = day;
    return [
      { ...span, value: after, sign: '>' },
      ...(before === undefined ? [] : [{ ...span, value: before, sign: '<' } as const]),
    ];
  }
  return [
    misread(
      reader,
      from,
      'Write > or < before a time: >24h is in the last 24 hours, <24h before that. A day needs none: yesterday.',
    ),
  ];
}

/** `due:now` and `due:5m` are due by then, `due:>1h` later than that. */
function readDueTime(reader: TextReader): ReadResult[] {
  const from = reader.at;
  const time = take(reader, /(now|\d[smhdw\d]*)(?=\s|$)/y);
  return time === undefined ? readTime(reader) : [{ from, to: reader.at, value: time, sign: '<' }];
}

function readNumber(reader: TextReader): ReadResult[] {
  const from = reader.at;
  const sign = take(reader, /[<>]=/y)?.[0];
  const number = take(reader, /-?\d+(?![^\s])/y);
  if (number === undefined) {
    take(reader, /[^\s"]+/y);
    return [misread(reader, from, 'Write a number, or >= or <= before one: >=3.')];
  }
  return [{ from, to: reader.at, value: Number(number), sign: sign === '<' || sign === '>' ? sign : '=' }];
}

function readJson(reader: TextReader): ReadResult[] {
  const from = reader.at;
  let depth = 0;
  do {
    const piece = take(reader, /"([^"\\]|\\.)*"|[{}[\]]|[^\s"{}[\]]+/sy);
    if (piece === undefined) break;
    if (piece === '{' || piece === '[') depth++;
    if (piece === '}' || piece === ']') depth--;
    if (depth > 0) take(reader, /\s+/y);
  } while (depth > 0);
  return [parse(reader, from, reader.text.slice(from, reader.at))];
}

function parse(reader: TextReader, from: number, json: string): ReadResult {
  try {
    return { from, to: reader.at, value: JSON.parse(json), sign: '=' };
  } catch (error) {
    return misread(reader, from, `Not valid as JSON: ${error instanceof Error ? error.message : error}.`);
  }
}

/** Accepts tabs and line breaks in quotes, as in pasted text. */
function escapeControls(quoted: string): string {
  return quoted.replaceAll(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
}
