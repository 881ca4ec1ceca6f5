import widthOf from 'fast-string-width';
import type { Style, Terminal, Text } from './terminal.ts';

/** A column of a table of `Row`. */
export type Column<Row> = {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'right';
  readonly style?: (row: Row) => Style | undefined;
  /** Takes the rest of the line, at least this many characters; the others are as wide as their values. */
  readonly minWidth?: number;
  readonly maxWidth?: number;
  /** The end of an address tells it from the others. */
  readonly keepsEnd?: boolean;
  /** Left out, the last one first, where a terminal is too narrow for all columns. */
  readonly isOptional?: boolean;
};

const gap = '  ';

/** Prints rows in columns that fit the terminal; a value that does not fit ends with an ellipsis. */
export function printTable<Row>(
  { width, print }: Pick<Terminal, 'width' | 'print'>,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const cells = rows.map((row) => columns.map(({ value }) => toLine(value(row))));
  const widths = findWidths(columns, cells, width);
  const lineWidth = widths.reduce((sum, each) => sum + gap.length + each, -gap.length);
  const optional = columns.findLastIndex(({ isOptional }) => isOptional);
  if (lineWidth > width && optional >= 0) {
    printTable({ width, print }, columns.toSpliced(optional, 1), rows);
    return;
  }
  const printLine = (texts: readonly string[], styleOf: (index: number) => Style | undefined) => {
    const last = texts.findLastIndex((text) => text !== '');
    const parts = texts.slice(0, last + 1).flatMap((text, i): Text[] => {
      const fitted = (columns[i]?.keepsEnd ? cutStart : cut)(text, widths[i] ?? 0);
      const style = styleOf(i);
      const padding = ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(fitted)));
      const painted = style ? ([style, fitted] as const) : fitted;
      if (columns[i]?.align === 'right') return [padding, painted, gap];
      return [painted, padding + gap];
    });
    print(...parts.slice(0, -1));
  };
  printLine(
    columns.map(({ title }) => title),
    () => 'dim',
  );
  for (const [at, row] of rows.entries()) printLine(cells[at] ?? [], (i) => columns[i]?.style?.(row));
}

function findWidths<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] {
  const widths = columns.map(({ title, maxWidth = Number.POSITIVE_INFINITY }, i) =>
    Math.min(maxWidth, Math.max(title.length, ...cells.map((row) => widthOf(row[i] ?? '')))),
  );
  const flexible = columns.findIndex(({ minWidth }) => minWidth !== undefined);
  const others = widths.reduce((sum, each, i) => sum + (i === flexible ? 0 : each + gap.length), 0);
  const rest = Math.max(columns[flexible]?.minWidth ?? 0, width - others);
  return widths.map((each, i) => (i === flexible ? Math.min(each, rest) : each));
}

/** A text as one line. Control characters would reach the terminal: events may have any. */
export function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** The text, cut to a width in columns of the terminal: a Chinese character takes two. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) >= width) break;
    kept += character;
  }
  return `${kept}…`;
}

function cutStart(text: string, width: number): string {
  const reverse = (line: string) => [...line].reverse().join('');
  return reverse(cut(reverse(text), width));
}
