import { pickVariant } from './sample.ts';

const names = ['pulumi', 'client', 'cli', 'dead-letter-office'] as const;

/** Returns whether a run builds and uses a folder of `packages/`: `npm test` one of them. */
export function isBuilt(name: (typeof names)[number]): boolean {
  return pickVariant('built package', names).includes(name);
}
