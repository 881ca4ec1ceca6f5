/** Parses JSON text. Returns undefined for text that is not JSON, and for undefined. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Prints a value as JSON. Returns an empty string for undefined, and for nesting deeper than the call stack.
 */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Whether a parsed JSON value is an object: not an array, not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is nested more than `levels` levels deep. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** The value at a JSON Pointer, in a list of its own, or none. Of a list `-1` is the last. */
export function listValue(json: unknown, tokens: readonly string[]): readonly unknown[] {
  let value = json;
  for (const token of tokens) {
    if (Array.isArray(value) && /^(\d{1,9}|-1)$/.test(token)) value = value.at(Number(token));
    else if (!isObject(value)) return [];
    else if (Object.hasOwn(value, token)) value = value[token];
    else return [];
  }
  return value === undefined ? [] : [value];
}
