import { InputError } from '../../../../shared/errors.ts';
import { EventIdSchema } from '../../../../shared/filter/filter-schema.ts';
import { check } from '../../../../shared/validate.ts';
import type { ApiRequest } from '../../api/resource.ts';

/** The run that a path names. Throws InputError where it is no id of a run, which are like those of events. */
export function readRunId({ params }: Pick<ApiRequest, 'params'>): string {
  const checked = check(EventIdSchema, params.id, 'id');
  if (!checked.ok)
    throw new InputError(checked.problems.map((each) => ({ ...each, remedy: 'Give the id of a run.' })));
  return checked.value;
}

/** How the OpenAPI document describes it. */
export const runIdParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of a run.',
  schema: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
};
