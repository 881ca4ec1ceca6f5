import { pickVariant } from './sample.ts';

const names = ['workers', 'maintain'] as const;

/**
 * Returns whether a run kills processes of this kind repeatedly under load: `npm test` one kind. A slice of
 * chaos kills workers in each run.
 */
export function isKilled(name: (typeof names)[number]): boolean {
  return pickVariant('killed processes', names).includes(name);
}
