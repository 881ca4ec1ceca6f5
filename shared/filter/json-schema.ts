import * as v from 'valibot';
import { toStorableText } from '../storable-text.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const deepest = 50;
const longest = 10_000;

/**
 * Any JSON that PostgreSQL can compare with a payload, as it would be stored: a character that it cannot hold was
 * replaced at the capture, and is replaced here.
 */
export const JsonSchema = v.pipe(
  v.custom<Json>((value) => value !== undefined, 'Give any JSON.'),
  v.rawCheck(({ dataset, addIssue }) => {
    const remedy = dataset.typed ? findFault(dataset.value) : undefined;
    if (remedy) addIssue({ message: remedy });
  }),
  v.transform((value) => toStorableJson(value)),
);

function findFault(value: Json): string | undefined {
  if (!isShallow(value, deepest)) return `Must be JSON with at most ${deepest} levels.`;
  if (hasLossyNumber(value)) return 'Leave out whole numbers above 2^53: their digits are lost on the way.';
  if (JSON.stringify(value).length > longest) return `Must have at most ${longest} characters as JSON.`;
  return undefined;
}

function isShallow(value: Json, levels: number): boolean {
  return listParts(value).every((part) => levels > 0 && isShallow(part, levels - 1));
}

function hasLossyNumber(value: Json): boolean {
  if (typeof value !== 'number') return listParts(value).some(hasLossyNumber);
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function listParts(value: Json): readonly Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function toStorableJson(value: Json): Json {
  if (typeof value === 'string') return toStorableText(value);
  // JSON has a minus zero, PostgreSQL has not.
  if (value === 0) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toStorableJson);
  const members = Object.entries(value).map(([name, each]) => [toStorableText(name), toStorableJson(each)]);
  return Object.fromEntries(members);
}
