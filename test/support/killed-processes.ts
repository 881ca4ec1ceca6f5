import { pickVariant } from './sample.ts';

const names = ['workers', 'maintain', 'chaos'] as const;

/** Returns whether a run kills processes of this kind, or any in chaos, under load: `npm test` one of them. */
export function isKilled(name: (typeof names)[number]): boolean {
  return pickVariant('killed processes', names).includes(name);
}
