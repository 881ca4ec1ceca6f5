import * as v from 'valibot';
import { numberVariable } from './variable.ts';

export const BodyLimitSchema = v.object({
  MAX_BODY_BYTES: numberVariable(
    { default: 16 * 2 ** 20, min: 1024, max: 128 * 2 ** 20 },
    'Maximum bytes of the body of a request, 413 beyond; one instance holds three times as many, 503 beyond.',
  ),
});
