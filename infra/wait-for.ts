import * as pulumi from '@pulumi/pulumi';

/** Options by which a component and everything in it waits for `resources`: dependsOn alone stops at the component. */
export function waitFor(resources: readonly pulumi.Resource[]): pulumi.ComponentResourceOptions {
  return {
    transformations: [
      ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { dependsOn: [...resources] }) }),
    ],
  };
}
