import * as pulumi from '@pulumi/pulumi';

type Constructor<Args, Made> = new (name: string, args: Args, opts: pulumi.CustomResourceOptions) => Made;

/** Creates a resource with the name `<component>-<what>`. */
export type Make = <Args, Made>(
  type: Constructor<Args, Made>,
  what: string,
  args: NoInfer<Args>,
  opts?: pulumi.CustomResourceOptions,
) => Made;

/** Opens a component: the parent of its resources, which get the options `inside`. */
export function openComponent(kind: string, name: string, opts: pulumi.ComponentResourceOptions) {
  const component = new pulumi.ComponentResource(`dead-letter-office:gcp:${kind}`, name, {}, opts);
  const inside = { parent: component };
  const make: Make = (type, what, args, own) => new type(`${name}-${what}`, args, { ...inside, ...own });
  return { component, inside, make };
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
