import { formatNumber } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';

/**
 * A column of a table, with the classes of its heading and of its cells, and how the rows are sorted by it.
 */
export type Column<Row> = readonly [
  heading: Content,
  className: string,
  cell: (row: Row) => Content,
  sorted?: 'ascending' | 'descending' | undefined,
];

/** The checkbox of each row, and that of all rows of the page. */
export function checkboxColumn<Row>(
  name: string,
  of: (row: Row) => { readonly value: string; readonly label: string },
): Column<Row> {
  return [
    html`<span class="visually-hidden">Selected</span><label hidden><input type="checkbox" data-all aria-label="Select all on this page"></label>`,
    'checkbox-cell',
    (row) => {
      const { value, label } = of(row);
      return html`<input type="checkbox" name="${name}" value="${value}" aria-label="Select ${label}">`;
    },
  ];
}

/** Fewer rows that say the same are all shown. */
const minAlike = 5;

/** A table with one row for each entry. */
export function table<Row>(className: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  return foldedTable(
    className,
    rows.map((row) => [row]),
    columns,
  );
}

/** The rows, those together that follow each other and say the same. */
export function listAlike<Row>(
  rows: readonly Row[],
  alike: (row: Row) => string,
): readonly [Row, ...Row[]][] {
  const found: [Row, ...Row[]][] = [];
  for (const row of rows) {
    const last = found.at(-1);
    if (last && alike(last[0]) === alike(row)) last.push(row);
    else found.push([row]);
  }
  return found;
}

/** A table of rows of which several say the same: the first is shown, and the others are folded. */
export function foldedTable<Row>(
  className: string,
  rows: readonly (readonly [Row, ...Row[]])[],
  columns: readonly Column<Row>[],
): Html {
  const headings = columns.map(
    ([heading, name, , sorted]) =>
      html`<th class="${name}"${sorted && html` aria-sort="${sorted}"`}>${heading}</th>`,
  );
  const line = (row: Row) =>
    html`<tr>${columns.map(([, name, cell]) => html`<td class="${name}">${cell(row)}</td>`)}</tr>`;
  const bodies = rows.map(([first, ...others]) => {
    if (others.length + 1 < minAlike) return html`${line(first)}${others.map(line)}`;
    return html`${line(first)}<tr class="fold"><td colspan="3"><label><input type="checkbox" class="visually-hidden"> ${formatNumber(others.length)} more like this</label></td></tr></tbody>
      <tbody class="folded">${others.map(line)}</tbody><tbody>`;
  });
  return html`<table class="${className}"><thead><tr>${headings}</tr></thead><tbody>${bodies}</tbody></table>`;
}
