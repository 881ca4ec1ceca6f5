import { pickVariant } from './sample.ts';

/** Suites that are expensive, by what they do: `npm test` runs one of each group, another one in another run. */
const groups = {
  'kills processes under load': ['workers', 'maintain', 'chaos'],
  'builds a package, or changes a copy of the project': [
    'pulumi',
    'client',
    'cli',
    'dead-letter-office',
    'contributing',
  ],
  'does what a page says': ['start.md', 'send.md', 'commands'],
} as const;

type Suite = (typeof groups)[keyof typeof groups][number];

/** Returns whether a run has this suite. */
export function isItsTurn(suite: Suite): boolean {
  return Object.entries(groups).some(([name, suites]) => pickVariant<Suite>(name, suites).includes(suite));
}
