import * as v from 'valibot';
import { toStorableText } from '../../database/storable-text.ts';
import { isDeeper } from '../../json/parse-json.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const maxLevels = 50;
const maxCharacters = 10_000;

/**
 * Any JSON that PostgreSQL can compare with a payload, as events store it: characters that PostgreSQL cannot
 * store are replaced, as at the capture.
 */
export const JsonSchema = v.pipe(
  v.custom<Json>((value) => value !== undefined, 'Give any JSON.'),
  v.rawCheck(({ dataset, addIssue }) => {
    const remedy = dataset.typed ? findProblem(dataset.value) : undefined;
    if (remedy) addIssue({ message: remedy });
  }),
  v.transform((value) => toStorableJson(value)),
);

function findProblem(value: Json): string | undefined {
  if (isDeeper(value, maxLevels)) return `Must be JSON with at most ${maxLevels} levels.`;
  if (hasLossyNumber(value)) return 'Leave out whole numbers above 2^53: their digits are lost on the way.';
  if (JSON.stringify(value).length > maxCharacters)
    return `Must have at most ${maxCharacters} characters as JSON.`;
  return undefined;
}

function hasLossyNumber(value: Json): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasLossyNumber);
  if (typeof value !== 'number') return false;
  return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
}

function toStorableJson(value: Json): Json {
  if (typeof value === 'string') return toStorableText(value);
  // Minus zero, which PostgreSQL does not have.
  if (value === 0) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toStorableJson);
  const members = Object.entries(value).map(([name, each]) => [toStorableText(name), toStorableJson(each)]);
  return Object.fromEntries(members);
}
