/**
 * Formats records as JSON for `json_to_recordset`: the field `retryCount` becomes the column `retry_count`.
 * Renames the fields of the records only, not those inside their values. Nulls are omitted: a missing column
 * is null, too, and need not be parsed.
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

/**
 * The columns of all fields so far: there are as many as the code names, and a settlement has hundreds of
 * records.
 */
const known = new Map<string, string>();

function toColumn(field: string): string {
  const column = known.get(field) ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  known.set(field, column);
  return column;
}

/**
 * Formats one field of all records as an array literal, or as null if no record has a value: such an array is
 * not parsed. A value is a text, a number, a boolean or a Date.
 */
export function toArray(records: readonly object[], field: string): string | null {
  let hasValue = false;
  const elements = records.map((record) => {
    const value = record[field as keyof typeof record] as unknown;
    if (value === null || value === undefined) return 'NULL';
    hasValue = true;
    return toElement(value);
  });
  return hasValue ? `{${elements.join()}}` : null;
}

function toElement(value: unknown): string {
  if (typeof value === 'string')
    return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;
  return value instanceof Date ? `"${value.toISOString()}"` : String(value);
}
