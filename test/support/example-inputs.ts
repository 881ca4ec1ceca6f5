import type { EventAction } from '../../shared/events/actions/define-action.ts';

/** The values that the form of an action proposes, as a request of the API. */
export function exampleInputs({ inputs }: EventAction): Readonly<Record<string, unknown>> {
  const values = Object.entries(inputs).map(([name, { control, initial }]) => [
    name,
    control === 'number' ? Number(initial) : initial,
  ]);
  return Object.fromEntries(values);
}
