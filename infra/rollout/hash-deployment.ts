import { createHash } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';

/** Returns a hash of the source and the configuration of a function. */
export function hashDeployment(config: pulumi.Inputs): pulumi.Output<string> {
  return pulumi
    .output(config)
    .apply((known) => createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 32));
}
