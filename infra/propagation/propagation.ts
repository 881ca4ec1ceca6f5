import * as pulumi from '@pulumi/pulumi';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';

export type PropagationArgs = {
  readonly grants: readonly pulumi.CustomResource[];
  /** Ids that change if an account with grants is replaced by another one of the same name. */
  readonly accounts: readonly pulumi.Input<string>[];
  /** How long new grants take to become effective. */
  readonly seconds: number;
};

/**
 * Waits until new grants are effective: Google Cloud confirms a grant minutes before each of its services knows it, and
 * does not report when they do. Unchanged grants are not waited for.
 */
export class Propagation extends pulumi.dynamic.Resource {
  constructor(
    name: string,
    { grants, accounts, seconds }: PropagationArgs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const code = locateCode(import.meta.dirname, 'await-propagation');
    const inputs = { grants: [...grants.map(({ id }) => id), ...accounts], seconds, code };
    super(dynamicProvider, name, inputs, opts, 'dead-letter-office', 'Propagation');
  }
}
