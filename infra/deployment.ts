import * as pulumi from '@pulumi/pulumi';
import type { Settings } from './settings.ts';

type Constructor<Args, Made> = new (name: string, args: Args, opts: pulumi.CustomResourceOptions) => Made;

/** The settings of a deployment, and the resources that it made so far. */
export type Deployment = ReturnType<typeof openDeployment>;

/** Opens a deployment. All of its resources have these options. */
export function openDeployment(settings: Settings, shared: pulumi.CustomResourceOptions) {
  const made: pulumi.Resource[] = [];
  return {
    settings,
    made,
    /** Makes a resource with the name `<name of the deployment>-<what>`. */
    make: <Args, Made extends pulumi.Resource>(
      type: Constructor<Args, Made>,
      what: string,
      args: NoInfer<Args>,
      opts: pulumi.CustomResourceOptions = {},
    ): Made => {
      const resource = new type(`${settings.name}-${what}`, args, pulumi.mergeOptions(shared, opts));
      made.push(resource);
      return resource;
    },
  };
}

/** True for every request. */
const always = 'request.time > timestamp("2020-01-01T00:00:00Z")';

/**
 * A condition that makes a grant one of this deployment, by its title: another deployment may have the same
 * accounts, and its removal must not revoke the grant.
 */
export function ownCondition(prefix: string, what: string, expression: pulumi.Input<string> = always) {
  return { title: `${prefix}: ${what}`, expression };
}
