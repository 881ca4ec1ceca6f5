import type { IncomingMessage } from 'node:http';
import type { ConsoleConfig } from '../../shared/console-config.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import type { Caller, Identify } from '../identity/identify-caller.ts';

/** Who is looking. A viewer sees; an operator also acts. */
export type Person = Caller & { readonly isOperator: boolean };

/** Tells who looks, and what they may do. Throws NotAuthorizedError, and ForbiddenError for who has no role here. */
export function identifyPerson(
  identify: Identify,
  { operators, viewers }: Pick<ConsoleConfig, 'operators' | 'viewers'>,
): (request: IncomingMessage) => Promise<Person> {
  return async (request) => {
    const caller = await identify(request);
    // Whose machine it is may do everything there.
    if (caller.via === 'local' || isAmong(operators, caller.name)) return { ...caller, isOperator: true };
    if (isAmong(viewers, caller.name)) return { ...caller, isOperator: false };
    throw new ForbiddenError(
      `${caller.name} has no role here. Whoever runs this office can add the name to CONSOLE_VIEWERS or CONSOLE_OPERATORS.`,
    );
  };
}

function isAmong(names: readonly string[], name: string): boolean {
  const known = name.toLowerCase();
  return names.some((each) => (each.startsWith('*@') ? known.endsWith(each.slice(1)) : known === each));
}
