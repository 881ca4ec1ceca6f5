import { formatNumber } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';

/** A column of a table, with the classes of its heading and of its cells. */
export type Column<Row> = readonly [heading: Content, className: string, cell: (row: Row) => Content];

/**
 * The checkbox of each row by its value and label, and that of all rows of the page. A browser that goes back
 * would set those of others.
 */
export function checkboxColumn<Row>(name: string, of: (row: Row) => readonly [string, string]): Column<Row> {
  return [
    html`<span class="visually-hidden">Selected</span><label data-script><input type="checkbox" data-all autocomplete="off" aria-label="Select all on this page"></label>`,
    'checkbox-cell',
    (row) => {
      const [value, label] = of(row);
      return html`<input type="checkbox" name="${name}" value="${value}" autocomplete="off" aria-label="Select ${label}">`;
    },
  ];
}

type Parts<Row> = readonly { shown: readonly Row[]; folded: readonly Row[]; key?: string }[];
type Columns<Row> = readonly Column<Row>[];

/** The rows in runs that follow each other and say the same. */
export function groupAlike<Row>(rows: readonly Row[], alike: (row: Row) => unknown) {
  const runs: [Row, ...Row[]][] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last && alike(last[0]) === alike(row)) last.push(row);
    else runs.push([row]);
  }
  return runs;
}

/**
 * The rows; of at least `min` that follow each other and say the same all but the first are folded, unless
 * all rows do: a page of a list would be a single row.
 */
export function foldAlike<Row>(rows: readonly Row[], alike: (row: Row) => unknown, min = 5): Parts<Row> {
  const runs = groupAlike(rows, alike);
  return runs.map((run) => {
    const shown = run.length < min || runs.length === 1 ? run.length : 1;
    return { shown: run.slice(0, shown), folded: run.slice(shown), key: String(alike(run[0])) };
  });
}

/** A table with one row for each entry. */
export function table<Row>(className: string, rows: readonly Row[], columns: Columns<Row>): Html {
  return foldedTable(className, [{ shown: rows, folded: [] }], columns);
}

/** A table whose folded rows are shown on demand. */
export function foldedTable<Row>(className: string, parts: Parts<Row>, columns: Columns<Row>): Html {
  const headings = columns.map(([heading, name]) => html`<th class="${name}">${heading}</th>`);
  const line = (row: Row) =>
    html`<tr>${columns.map(([, name, cell]) => html`<td class="${name}">${cell(row)}</td>`)}</tr>`;
  const bodies = parts.map(({ shown, folded, key }) => {
    if (folded.length === 0) return html`<tbody>${shown.map(line)}</tbody>`;
    return html`<tbody data-key="${key}">${shown.map(line)}<tr class="fold"><td><label><input type="checkbox" class="visually-hidden"> ${formatNumber(folded.length)} more like this</label></td></tr></tbody>
      <tbody class="folded" data-key="${key}">${folded.map(line)}</tbody>`;
  });
  return html`<table class="${className}"><thead><tr>${headings}</tr></thead>${bodies}</table>`;
}
