import { InputError } from '../../../shared/errors.ts';
import { EventIdSchema } from '../../../shared/filter/filter-schema.ts';
import { check } from '../../../shared/validate.ts';
import type { ApiRequest } from './resource.ts';

type Path = Pick<ApiRequest, 'params'>;

/** The event that a path names. Throws InputError where it is no id of an event. */
export function readEventId({ params }: Path, name = 'id'): string {
  const checked = check(EventIdSchema, params[name], 'id');
  if (!checked.ok) throw new InputError(checked.problems);
  return checked.value;
}

/** The run that a path names. Throws InputError where it is no id of a run, which are like those of events. */
export function readRunId({ params }: Path): string {
  const checked = check(EventIdSchema, params.id, 'id');
  if (checked.ok) return checked.value;
  throw new InputError(checked.problems.map((each) => ({ ...each, remedy: 'Give the id of a run.' })));
}

/** How the OpenAPI document describes an id in a path. */
export function describePathId(of: string, name = 'id') {
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of ${of}.`,
    schema: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
  };
}

export const eventIdParameter = describePathId('an event');
export const runIdParameter = describePathId('a run');
