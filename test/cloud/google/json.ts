/** A JSON object of an API: what a resource, a request or a response consists of. */
export type Json = { [field: string]: unknown };

/** Returns the value at a dotted path such as `pushConfig.oidcToken`. */
export function valueAt(object: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => (value as Json | undefined)?.[field], object);
}

/** Copies the fields of an update mask; a field that the source does not have is removed from the target. */
export function applyMask(target: Json, source: Json, mask: readonly string[]): Json {
  const result = structuredClone(target);
  for (const path of mask) {
    const fields = path.split('.').map(toCamelCase);
    const last = fields.pop() ?? '';
    let parent = result;
    for (const field of fields) {
      parent[field] ??= {};
      parent = parent[field] as Json;
    }
    const value = valueAt(source, [...fields, last].join('.'));
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return result;
}

/** Adds the fields that are missing, at every depth. */
export function withDefaults(given: Json, defaults: Json): Json {
  const merged = Object.entries(defaults).map(([field, value]) => {
    const own = given[field];
    if (isObject(own) && isObject(value)) return [field, withDefaults(own, value)];
    return [field, own ?? value];
  });
  return { ...given, ...Object.fromEntries(merged) };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
