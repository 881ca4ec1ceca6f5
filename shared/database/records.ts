/**
 * Formats records as JSON for `json_to_recordset`: the field `retryCount` becomes the column `retry_count`. Renames the fields of
 * the records only, not those inside their values. Nulls are omitted: a missing column is null, too, and need not be parsed.
 */
export function toRecords(records: readonly object[]): string {
  return JSON.stringify(records.map(toRecord));
}

function toRecord(record: object): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  // Without the lists of Object.entries: a settlement has twenty fields.
  for (const field in record) {
    const value = record[field as keyof typeof record] as unknown;
    if (value !== null && value !== undefined) columns[toColumn(field)] = value;
  }
  return columns;
}

/** The columns of all fields so far: there are as many as the code names, and a settlement has hundreds of records. */
const known = new Map<string, string>();

function toColumn(field: string): string {
  const column = known.get(field) ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  known.set(field, column);
  return column;
}
