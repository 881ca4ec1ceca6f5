import { type FilterField, filterFields } from './filter-fields.ts';
import { type ReadValue, valueReaders } from './read-value.ts';
import { type Misreading, misread, type TextReader, take } from './text-reader.ts';

/** A value that a text gives for a field of a filter. */
export type Given = ReadValue & { readonly name: string; readonly kind: FilterField['kind'] };

type Read = Given | Misreading;

const fields = Object.entries<FilterField>(filterFields).map(([name, field]) => ({ name, ...field }));
const words = [...new Set(fields.map(({ word }) => word))];
const noSuchWord = `There is no such word. Use one of ${words.join(', ')}.`;

/** Takes the text of a filter apart into values and what cannot be read, in their order. */
export function readConditions(text: string): Read[] {
  const reader: TextReader = { text, at: 0 };
  const found: Read[] = [];
  take(reader, /\s*/y);
  while (reader.at < text.length) {
    found.push(...readCondition(reader));
    const from = reader.at;
    if (take(reader, /\S+/y))
      found.push(misread(reader, from, 'Put a space before this, or quotes around it all.'));
    take(reader, /\s*/y);
  }
  return found;
}

function readCondition(reader: TextReader): Read[] {
  const from = reader.at;
  const word = take(reader, /[a-z]+(?=:)/iy);
  const ofWord = fields.filter((field) => field.word === word);
  const [first, second] = ofWord;
  if (!first) {
    // With all that belongs to it, so that it makes no problems of its own.
    take(reader, /("([^"\\]|\\.)*"|\S)+/sy);
    return [misread(reader, from, word ? noSuchWord : 'Write a word, a colon and a value: type:order.*')];
  }
  take(reader, /:/y);
  return valueReaders[first.kind](reader).map((read) => {
    if ('remedy' in read) return read;
    // A word for times has two fields, after and before.
    const { name, kind } = read.sign === '<' && second ? second : first;
    return { ...read, name, kind };
  });
}
