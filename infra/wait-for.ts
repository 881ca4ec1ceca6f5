import * as pulumi from '@pulumi/pulumi';

/** Returns options that make a component and all its children wait for `resources`; dependsOn covers the component only. */
export function waitFor(resources: readonly pulumi.Resource[]): pulumi.ComponentResourceOptions {
  return {
    transformations: [
      ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { dependsOn: [...resources] }) }),
    ],
  };
}
