import * as pulumi from '@pulumi/pulumi';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';

export type BuildAttemptArgs = {
  /** `projects/PROJECT/locations/LOCATION/services/NAME` of the function. */
  readonly service: pulumi.Input<string>;
  /** Hash of what is deployed. */
  readonly deployment: pulumi.Input<string>;
};

/**
 * Counts the attempts to build a function. After a failed update Pulumi's state has the values that were wanted, so that
 * the next update finds no difference and builds nothing. This resource compares what serves, in every update, and a new
 * attempt is a difference that the function is built for.
 */
export class BuildAttempt extends pulumi.dynamic.Resource {
  /** The number of the attempt, as text. */
  declare readonly attempt: pulumi.Output<string>;

  constructor(name: string, args: BuildAttemptArgs, opts?: pulumi.CustomResourceOptions) {
    const code = locateCode(import.meta.dirname, 'count-attempts');
    const inputs = { ...args, code, attempt: undefined };
    super(dynamicProvider, name, inputs, opts, 'dead-letter-office', 'BuildAttempt');
  }
}
