import type { IncomingMessage } from 'node:http';
import type { ConsoleConfig } from '../../shared/config/console.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import type { Caller, Identify } from './identify-caller.ts';

/** A user of the console and the API: a viewer may only read; an operator may also change. */
export type ConsoleUser = Caller & { readonly isOperator: boolean };

/**
 * Returns a function that identifies the user of a request and their role. That function throws NotAuthorizedError for
 * an unidentified caller and ForbiddenError for a caller without a role.
 */
export function identifyUser(
  identify: Identify,
  { operators, viewers }: Pick<ConsoleConfig, 'operators' | 'viewers'>,
): (request: IncomingMessage) => Promise<ConsoleUser> {
  return async (request) => {
    const caller = await identify(request);
    // A local caller owns the machine and the database on it.
    if (caller.via === 'local' || includesName(operators, caller.name))
      return { ...caller, isOperator: true };
    if (includesName(viewers, caller.name)) return { ...caller, isOperator: false };
    throw new ForbiddenError(
      `${caller.name} has no role in this console. Ask its administrator to add the name to CONSOLE_VIEWERS or CONSOLE_OPERATORS.`,
    );
  };
}

function includesName(names: readonly string[], name: string): boolean {
  const known = name.toLowerCase();
  return names.some((each) => (each.startsWith('*@') ? known.endsWith(each.slice(1)) : known === each));
}
