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

/** A table with one row for each entry. */
export function table<Row>(className: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const headings = columns.map(
    ([heading, name, , sorted]) =>
      html`<th class="${name}"${sorted && html` aria-sort="${sorted}"`}>${heading}</th>`,
  );
  const lines = rows.map(
    (row) => html`<tr>${columns.map(([, name, cell]) => html`<td class="${name}">${cell(row)}</td>`)}</tr>`,
  );
  return html`<table class="${className}"><thead><tr>${headings}</tr></thead><tbody>${lines}</tbody></table>`;
}
