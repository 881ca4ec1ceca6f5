import * as secretmanager from '@pulumi/gcp/secretmanager/index.js';
import * as pulumi from '@pulumi/pulumi';

export type SecretArgs = {
  readonly project: string;
  readonly region: string;
  readonly value: pulumi.Input<string>;
};

/** A variable of functions that is kept in Secret Manager and not shown in their configuration. */
export class Secret extends pulumi.ComponentResource {
  readonly secretId: pulumi.Output<string>;
  /** The version number: with "latest", running instances would keep the old value. */
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

  /** Allows `member` to read this secret only. */
  allow(name: string, member: pulumi.Input<string>): pulumi.Resource {
    const role = 'roles/secretmanager.secretAccessor';
    return new secretmanager.SecretIamMember(
      name,
      { secretId: this.secretId, role, member },
      { parent: this },
    );
  }
}
