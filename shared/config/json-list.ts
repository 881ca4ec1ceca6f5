import { readFileSync } from 'node:fs';
import type * as v from 'valibot';
import { type Checked, check, reject } from './validate.ts';

/** Reads a JSON list of `what` from the variable `name`, or the file of `name`_FILE; else an empty one. */
export function readJsonList<Schema extends v.GenericSchema>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
  { name, what }: { readonly name: string; readonly what: string },
): Checked<v.InferOutput<Schema>> {
  const [text, file] = [env[name], env[`${name}_FILE`]];
  if (text && file) return reject(`${name}_FILE`, file, `Set either ${name} or ${name}_FILE, not both.`);
  const field = file ? `${name}_FILE` : name;
  try {
    const json = file ? readFileSync(file, 'utf8') : text || '[]';
    return check(schema, JSON.parse(json), field);
  } catch (error) {
    // The message quotes its input, or routes in place of the name of a file, which may contain a secret.
    const reason = (error as Error).message.replace(/, ((\.{3})?"|open '\s*[[{]).*/s, '');
    return reject(field, env[field], `Must be a JSON list of ${what}: ${reason}.`);
  }
}
