import type { IncomingMessage } from 'node:http';
import { operatorPath, type RoleConfig } from '../../shared/config/console.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import type { Caller, Identify } from './identify-caller.ts';

/** A user of the console and the API: a viewer may only read; an operator may also change. */
export type ConsoleUser = Caller & {
  readonly isOperator: boolean;
  /** Path of the pages on which the user may be an operator. */
  readonly operatorPath?: string;
};

/** Names by role, and whether IAP has admitted the request to the pages of operators. */
type Roles = RoleConfig & { readonly isForOperators?: boolean };

/**
 * Returns a function that identifies the user of a request and their role. That function throws
 * NotAuthorizedError for an unidentified caller and ForbiddenError for a caller without a role.
 */
export function identifyUser(
  identify: Identify,
  { operators, viewers, isForOperators = false }: Roles,
): (request: IncomingMessage) => Promise<ConsoleUser> {
  return async (request) => {
    const caller = await identify(request);
    const isAdmitted = (names: readonly string[]) => caller.via === 'iap' && names.includes('*');
    // A local caller owns the machine and the database on it.
    const isOperator = caller.via === 'local' || includesName(operators, caller.name);
    if (isOperator || (isForOperators && isAdmitted(operators))) return { ...caller, isOperator: true };
    // Whom IAP admits as an operator may look at the other pages, too.
    if (isAdmitted(operators)) return { ...caller, isOperator: false, operatorPath };
    if (isAdmitted(viewers) || includesName(viewers, caller.name)) return { ...caller, isOperator: false };
    throw new ForbiddenError(
      `${caller.name} has no role in this console. Ask its administrator to add the name to CONSOLE_VIEWERS or CONSOLE_OPERATORS.`,
    );
  };
}

/** Throws ForbiddenError for a viewer. */
export function assertOperator({ isOperator }: ConsoleUser): void {
  if (!isOperator)
    throw new ForbiddenError('You have the viewer role, which is read-only. Ask for the operator role.');
}

function includesName(names: readonly string[], name: string): boolean {
  const known = name.toLowerCase();
  return names.some((each) => (each.startsWith('*@') ? known.endsWith(each.slice(1)) : known === each));
}
