import { type FieldKind, type FilterField, filterFields } from './filter-fields.ts';
import { readBareText, type TextValue, valueReaders } from './read-value.ts';
import { type Misreading, misread, type TextReader, take } from './text-reader.ts';

/** A value of a text with the field that it belongs to. */
export type FieldValue = TextValue & { readonly name: string; readonly kind: FieldKind };

const fields = Object.entries<FilterField>(filterFields).map(([name, field]) => ({ name, ...field }));

/**
 * Splits the text of a filter into its values and its errors, in their order. Text without a known word is
 * searched.
 */
export function readConditions(text: string): (FieldValue | Misreading)[] {
  const reader: TextReader = { text, at: 0 };
  const found: (FieldValue | Misreading)[] = [];
  take(reader, /\s*/y);
  while (reader.at < text.length) {
    // One by one: a call takes a limited number of arguments.
    for (const read of readCondition(reader)) found.push(read);
    const from = reader.at;
    if (take(reader, /\S+/y))
      found.push(misread(reader, from, 'Put a space before this, or quotes around it all.'));
    take(reader, /\s*/y);
  }
  return found;
}

function readCondition(reader: TextReader): (FieldValue | Misreading)[] {
  const from = reader.at;
  // A space behind the colon is no condition: `error: refused` is pasted text.
  const word = take(reader, /[a-z]+(?=:(?!\s))/y);
  const ofWord = fields.filter((field) => field.word === word);
  const [first, second] = ofWord;
  if (!first) {
    reader.at = from;
    const read = readBareText(reader);
    return ['remedy' in read ? read : { ...read, name: 'text', kind: 'words' }];
  }
  take(reader, /:/y);
  return valueReaders[first.kind](reader).map((read) => {
    if ('remedy' in read) return read;
    // The word of a time stands for two fields, after and before.
    const { name, kind } = read.sign === '<' && second ? second : first;
    return { ...read, name, kind };
  });
}
