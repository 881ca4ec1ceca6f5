import { readSettings } from '../../infra/check-settings.ts';
import type { Problem } from '../../shared/errors.ts';
import { refusalBy } from './problems.ts';

export const namespace = 'dead-letter-office';
const min = { 'gcp:project': 'acme-test', [`${namespace}:deployer`]: 'user:ana@acme.example' };

type Own = Readonly<Record<string, string>>;

/** Reads the settings of a stack, with those that each stack needs. */
export function readStack(own: Own, { without = '', secretKeys = [] as string[] } = {}) {
  const given = Object.entries(own).map(([key, value]) => [`${namespace}:${key}`, value]);
  const values = Object.fromEntries([...Object.entries(min), ...given].filter(([key]) => key !== without));
  return readSettings({ namespace, values, secretKeys });
}

/** The problems of settings that are refused. Fails where they are accepted. */
export function problemsOf(own: Own, options = {}): readonly Problem[] {
  return refusalBy(() => readStack(own, options)).problems;
}

export const fields = (problems: readonly Problem[]) => problems.map(({ field }) => field);
