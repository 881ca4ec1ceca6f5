import * as secretmanager from '@pulumi/gcp/secretmanager/index.js';
import * as pulumi from '@pulumi/pulumi';

export type SecretArgs = {
  readonly project: string;
  readonly region: string;
  readonly value: pulumi.Input<string>;
};

/** A value that functions get as a variable and that nobody sees in their configuration. */
export class Secret extends pulumi.ComponentResource {
  readonly secretId: pulumi.Output<string>;
  /** The number of the version: a function that was told "latest" would see a new one only by chance. */
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: SecretArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Secret', name, {}, opts);
    const secret = new secretmanager.Secret(
      `${name}-secret`,
      {
        project: args.project,
        secretId: name,
        replication: { userManaged: { replicas: [{ location: args.region }] } },
      },
      { parent: this },
    );
    const version = new secretmanager.SecretVersion(
      `${name}-version`,
      { secret: secret.id, secretData: pulumi.secret(args.value) },
      { parent: this },
    );
    this.secretId = secret.secretId;
    this.version = version.version;
    this.registerOutputs({});
  }

  /** Lets `member` read this secret and no other. */
  allow(name: string, member: pulumi.Input<string>): pulumi.Resource {
    const role = 'roles/secretmanager.secretAccessor';
    return new secretmanager.SecretIamMember(
      name,
      { secretId: this.secretId, role, member },
      { parent: this },
    );
  }
}
