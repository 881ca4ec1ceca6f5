/** `1 row`, `2,000 rows`. */
export function countRows(rows: number): string {
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;
}

/** The subject of a sentence about rows: `1 row has`, `2000 rows have`. */
export function rowsHave(rows: number): string {
  return `${rows} ${rows === 1 ? 'row has' : 'rows have'}`;
}
