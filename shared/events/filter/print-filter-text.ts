import { type FieldKind, type FilterField, filterFields } from './filter-fields.ts';
import type { Filter } from './filter-schema.ts';

type Range = { readonly min?: number; readonly max?: number };

/**
 * The filter as text, such as `type:order.* failed:>24h`, which parseFilterText parses to the same filter.
 */
export function printFilterText(filter: Filter): string {
  const fields = Object.entries(filterFields) as [keyof Filter, FilterField][];
  return fields
    .flatMap(([name, { kind, word }]) =>
      filter[name] === undefined
        ? []
        : printers[kind](filter[name] as never).map((value) => `${word}:${value}`),
    )
    .join(' ');
}

const printList = (texts: readonly string[]) => [texts.map(printText).join(',')];

/** The values of a field, each as it follows its word and a colon. */
const printers = {
  words: (texts: readonly string[]) => texts.map(printText),
  identifiers: printList,
  ids: printList,
  status: printList,
  'one of': printList,
  globs: printList,
  substring: (text: string) => [printText(text)],
  after: (time: string) => [`>${time}`],
  before: (time: string) => [`<${time}`],
  'due after': (time: string) => [`>${time}`],
  'due before': (time: string) => [`<${time}`],
  run: (selection: string) => [selection],
  range: ({ min, max }: Range) =>
    min === max
      ? [`${min}`]
      : [...(min === undefined ? [] : [`>=${min}`]), ...(max === undefined ? [] : [`<=${max}`])],
  contains: (json: unknown) => [JSON.stringify(json)],
} satisfies Readonly<Record<FieldKind, (value: never) => string[]>>;

/** A text as a value of the text form. */
export function printText(text: string): string {
  return /^[^\s",]+$/.test(text) ? text : JSON.stringify(text);
}
