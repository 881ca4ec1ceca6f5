import { isObject } from '../json/parse-json.ts';

/**
 * Whether a value is an object whose members all have one of these names. A body that nobody declares is an
 * envelope only if it is nothing else: reading it must not lose a member.
 */
export function isWholly(value: unknown, names: ReadonlySet<string>): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  for (const name in value) if (!names.has(name)) return false;
  return true;
}
