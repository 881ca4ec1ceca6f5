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

/** How rows that follow each other and say the same are folded. */
type Fold<Row> = {
  readonly alike: (row: Row) => string;
  /** What the folded ones are called. */
  readonly others?: string;
  /** Whether they are folded if they are all of the table. */
  readonly isAlways?: boolean;
};

/** Fewer rows that say the same are all shown. */
const minAlike = 5;

/**
 * A table with one row for each entry. Of several that say the same the first is shown, and the others are
 * folded.
 */
export function table<Row>(
  className: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  fold?: Fold<Row>,
): Html {
  const headings = columns.map(
    ([heading, name, , sorted]) =>
      html`<th class="${name}"${sorted && html` aria-sort="${sorted}"`}>${heading}</th>`,
  );
  const line = (row: Row) =>
    html`<tr>${columns.map(([, name, cell]) => html`<td class="${name}">${cell(row)}</td>`)}</tr>`;
  const runs = fold ? listRuns(rows, fold.alike) : rows.map((row) => [row]);
  const bodies = runs.map((run) => {
    if (run.length < minAlike || (runs.length === 1 && !fold?.isAlways)) return run.map(line);
    const others = `${formatNumber(run.length - 1)} ${fold?.others ?? 'more like this'}`;
    return html`${run.slice(0, 1).map(line)}<tr class="fold"><td colspan="3"><label><input type="checkbox" class="visually-hidden"> ${others}</label></td></tr></tbody>
      <tbody class="folded">${run.slice(1).map(line)}</tbody><tbody>`;
  });
  return html`<table class="${className}"><thead><tr>${headings}</tr></thead><tbody>${bodies}</tbody></table>`;
}

/** The rows, those together that follow each other and say the same. */
function listRuns<Row>(rows: readonly Row[], alike: (row: Row) => string): readonly (readonly Row[])[] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && alike(last[0]) === alike(row)) last.push(row);
    else runs.push([row]);
  }
  return runs;
}
