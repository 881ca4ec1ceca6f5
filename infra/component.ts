import * as pulumi from '@pulumi/pulumi';

type Constructor<Args, Made> = new (name: string, args: Args, opts: pulumi.CustomResourceOptions) => Made;

/** A component that is the parent of its resources. */
export abstract class Component extends pulumi.ComponentResource {
  /** Its name, with which those of its resources begin. */
  protected readonly prefix: string;

  constructor(kind: string, name: string, opts?: pulumi.ComponentResourceOptions) {
    super(`dead-letter-office:gcp:${kind}`, name, {}, opts);
    this.prefix = name;
  }

  /** Creates a resource with the name `<component>-<what>`. */
  protected make<Args, Made>(type: Constructor<Args, Made>, what: string, args: NoInfer<Args>): Made {
    return new type(`${this.prefix}-${what}`, args, { parent: this });
  }
}
