import * as pulumi from '@pulumi/pulumi';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';

export type RolloutArgs = {
  /** Deployment hashes by `projects/PROJECT/locations/LOCATION/services/NAME`. */
  readonly deployments: pulumi.Input<Readonly<Record<string, string>>>;
  /** How long to wait for a new revision. */
  readonly timeoutSeconds?: number;
};

/** Fails the update unless every function serves what the update deployed. */
export class Rollout extends pulumi.dynamic.Resource {
  constructor(name: string, args: RolloutArgs, opts?: pulumi.CustomResourceOptions) {
    const code = locateCode(import.meta.dirname, 'verify-rollout');
    const inputs = { timeoutSeconds: 120, ...args, code };
    super(dynamicProvider, name, inputs, opts, 'dead-letter-office', 'Rollout');
  }
}
