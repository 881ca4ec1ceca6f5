import { InputError } from '../../../shared/errors.ts';
import { EventIdSchema } from '../../../shared/filter/filter-schema.ts';
import { check } from '../../../shared/validate.ts';
import type { ApiRequest } from '../api/resource.ts';

/** The event that a path names. Throws InputError where it is no id of an event. */
export function readEventId({ params }: Pick<ApiRequest, 'params'>): string {
  const checked = check(EventIdSchema, params.id, 'id');
  if (!checked.ok) throw new InputError(checked.problems);
  return checked.value;
}

/** How the OpenAPI document describes it. */
export const eventIdParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of an event.',
  schema: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
};
