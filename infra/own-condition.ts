import type * as pulumi from '@pulumi/pulumi';

/** True for every request. */
const always = 'request.time > timestamp("2020-01-01T00:00:00Z")';

/**
 * A condition that makes a grant one of this deployment, by its title: another deployment may have the same
 * accounts, and its removal must not revoke the grant.
 */
export function ownCondition(prefix: string, what: string, expression: pulumi.Input<string> = always) {
  return { title: `${prefix}: ${what}`, expression };
}
