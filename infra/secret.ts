import * as secretmanager from '@pulumi/gcp/secretmanager/index.js';
import * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import type { Settings } from './settings.ts';

export type SecretArgs = Pick<Settings, 'project' | 'region' | 'kmsKey'> & {
  readonly value: pulumi.Input<string>;
};

/** A variable of functions that is kept in Secret Manager and not shown in their configuration. */
export class Secret extends Component {
  readonly secretId: pulumi.Output<string>;
  /** The version number: with "latest", running instances would keep the old value. */
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: SecretArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Secret', name, opts);
    const encryption = args.kmsKey && { customerManagedEncryption: { kmsKeyName: args.kmsKey } };
    const { id, secretId } = this.make(secretmanager.Secret, 'secret', {
      project: args.project,
      secretId: name,
      replication: { userManaged: { replicas: [{ location: args.region, ...encryption }] } },
    });
    this.secretId = secretId;
    this.version = this.make(secretmanager.SecretVersion, 'version', {
      secret: id,
      secretData: pulumi.secret(args.value),
    }).version;
  }

  /** Allows `member` to read this secret only. */
  allow(name: string, member: pulumi.Input<string>): pulumi.CustomResource {
    const args = { secretId: this.secretId, role: 'roles/secretmanager.secretAccessor', member };
    return new secretmanager.SecretIamMember(name, args, { parent: this });
  }
}
