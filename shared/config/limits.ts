import * as v from 'valibot';
import { commaList, defineNumber, defineSetting } from './setting.ts';

/** Limits of one request, and what admits a capture. */
export const limitSettings = {
  MAX_BODY_BYTES: defineNumber(
    { default: 16 * 2 ** 20, min: 1024, max: 128 * 2 ** 20, readBy: ['capture'] },
    'Maximum bytes of the body of a request, 413 beyond; one instance holds three times as many, 503 beyond.',
  ),
  FILTER_COST_LIMIT: defineNumber(
    { as: 'costLimit', default: 500_000, min: 0, max: 1_000_000_000, readBy: ['replay', 'console'] },
    "Maximum cost, in the planner's unit, of a query from the console or the API; a more expensive one is rejected with advice; 0: no limit.",
  ),
  CAPTURE_SECRETS: defineSetting(
    {
      secret: 'whole',
      allowed: 'secrets of at least 16 characters, separated by commas',
      schema: v.pipe(
        commaList,
        v.check(
          (secrets) => secrets.every(({ length }) => length >= 16),
          'Each secret needs at least 16 characters.',
        ),
      ),
      readBy: ['capture'],
    },
    'Secrets with one of which every capture must be signed; without them none is signed.',
  ),
};
