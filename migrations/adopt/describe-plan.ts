import { findExtraColumns, findExtraIndexes } from './carry-over.ts';
import { countRows } from './count-rows.ts';
import { isFact } from './insert-rows.ts';
import type { Table } from './inspect-table.ts';
import type { Plan } from './plan.ts';

/** Rows per second on two busy cores (docs/adopt.md). */
const rowsPerSecond = 6000;

/** Describes what an adoption carries over, how long it takes, and everything against it, one line each. */
export function describePlan(
  { tables, contents, obstacles, warnings }: Plan,
  accepted: readonly string[],
): string[] {
  const missing = [...new Set(warnings.map(({ name }) => name))].filter((name) => !accepted.includes(name));
  return [
    ...tables.flatMap(({ table }, index) =>
      describeTable(table, contents[index]?.rows ?? table.estimatedRows),
    ),
    ...(obstacles.length > 0 ? ['Resolve first:', ...obstacles.map((text) => `  ${text}`)] : []),
    ...(warnings.length > 0
      ? ['Clients may notice:', ...warnings.map(({ name, text }) => `  ${name}: ${text}`)]
      : []),
    ...(missing.length > 0
      ? [`Add ${missing.map((name) => `--accept ${name}`).join(' ')} to accept it.`]
      : []),
  ];
}

/** Whether nothing stands in the way of a plan. */
export function isAllowed({ obstacles, warnings }: Plan, accepted: readonly string[]): boolean {
  return obstacles.length === 0 && warnings.every(({ name }) => accepted.includes(name));
}

function describeTable(table: Table, rows: number | null): string[] {
  const kept = listKept(table);
  return [
    `${table.name}: ${describeRows(rows)}${formatBytes(table.bytes)}. It takes ${describeTime(rows)}up to ${formatBytes(3 * table.bytes)} of disk. ` +
      'Statements wait twice, for about a second at the beginning and at the end.',
    ...(kept.length > 0 ? [`  Carried over: ${kept.join('; ')}.`] : []),
  ];
}

/** Rows that nothing has counted yet are not named. */
function describeRows(rows: number | null): string {
  return rows === null ? '' : `${countRows(rows)}, `;
}

function describeTime(rows: number | null): string {
  if (rows === null) return '';
  const minutes = rows / rowsPerSecond / 60;
  return minutes < 1 ? 'less than a minute and ' : `about ${Math.ceil(minutes)} minutes and `;
}

function listKept(table: Table): string[] {
  const extra = findExtraColumns(table);
  const required = extra.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const list = (noun: string, names: readonly string[]) =>
    names.length > 0 ? [`${noun} ${names.join(', ')}`] : [];
  const replaced = table.indexes.filter(
    (index) => !findExtraIndexes({ indexes: [index] }).length && index.columns[0] !== 'id',
  );
  return [
    ...(table.sequence ? [`ids from ${table.sequence}`] : []),
    'rights on the table and its columns',
    ...list(
      'columns',
      table.columns.filter(({ name }) => isFact(name)).map(({ name }) => name),
    ),
    ...list(
      'columns of your own',
      extra.map(({ name }) => name),
    ),
    ...list('which may be null afterwards:', required),
    ...list(
      'indexes',
      findExtraIndexes(table).map(({ name }) => name),
    ),
    ...list(
      'replaced by indexes of this product:',
      replaced.map(({ name }) => name),
    ),
    ...list(
      'foreign keys',
      table.constraints.filter(({ kind }) => kind === 'f').map(({ name }) => name),
    ),
    ...list(
      'triggers',
      table.triggers.map(({ name }) => name),
    ),
    ...list(
      'views',
      table.views.filter(({ kind }) => kind === 'v').map(({ name }) => name),
    ),
    ...list(
      'publications',
      table.publications.map(({ name }) => name),
    ),
    ...(table.comment === null ? [] : ['the comment']),
  ];
}

function formatBytes(bytes: number): string {
  const gigabytes = bytes / 1e9;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
