import { type CamelCase, toCamelCase } from '../shared/config/setting.ts';
import { namedVariables, type VariableName, type variables } from '../shared/environment/environment.ts';

/** Maximum duration of a tick, in seconds: Cloud Scheduler waits no longer for an answer. */
export const tickSeconds = 1800;

/** The settings of the stack whose value becomes that of a variable of the functions. */
export const stackSettings = namedVariables.flatMap(([variable, setting]) => {
  const { stack = {} } = setting;
  if (stack === 'derived' || 'unset' in stack) return [];
  return [{ name: stack.name ?? toCamelCase(variable), variable, setting, stack }];
});

type Variables = typeof variables;
type NameOf<Name extends VariableName> = Variables[Name] extends { stack: 'derived' | { unset: string } }
  ? never
  : Variables[Name] extends { stack: { name: infer Own extends string } }
    ? Own
    : CamelCase<Name>;

/** Their names: of numbers, of flags, or of all. */
export type StackName<Kind> = {
  [Name in VariableName]: Variables[Name] extends Kind ? NameOf<Name> : never;
}[VariableName];
