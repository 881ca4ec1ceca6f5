import * as sql from '@pulumi/gcp/sql/index.js';
import * as pulumi from '@pulumi/pulumi';
import { connectionsOf, editionOf } from './tiers.ts';

export type DatabaseArgs = {
  readonly project: string;
  readonly region: string;
  readonly databaseName: string;
  /** `project:region:instance` of an instance to use; otherwise one is made. */
  readonly existingInstance?: string;
  readonly tier: string;
  readonly availability: 'ZONAL' | 'REGIONAL';
  /** 0: what is usual for the tier. */
  readonly maxConnections?: number;
  /** Full name of a network with private services access: the instance then has no public address. */
  readonly privateNetwork?: string;
  /** One switch for all three guards: Pulumi's, the provider's and Cloud SQL's own. */
  readonly deletionProtection: boolean;
};

/** Where the events are kept: a database on Cloud SQL for PostgreSQL that only its connector, with IAM, can reach. */
export class Database extends pulumi.ComponentResource {
  readonly instanceProject: pulumi.Output<string>;
  readonly instance: pulumi.Output<string>;
  readonly connectionName: pulumi.Output<string>;
  readonly databaseName: pulumi.Output<string>;
  readonly ipType: 'PUBLIC' | 'PRIVATE';

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Database', name, {}, opts);
    const { project, instance, connectionName } = args.existingInstance
      ? splitConnectionName(args.existingInstance)
      : this.#makeInstance(name, args);
    this.instanceProject = pulumi.output(project);
    this.instance = pulumi.output(instance);
    this.connectionName = pulumi.output(connectionName);
    this.ipType = args.privateNetwork ? 'PRIVATE' : 'PUBLIC';
    const database = new sql.Database(
      `${name}-events`,
      {
        project: this.instanceProject,
        instance: this.instance,
        name: args.databaseName,
        // With somebody connected it cannot be dropped; and who leaves an instance to others leaves the events too.
        deletionPolicy: 'ABANDON',
      },
      { parent: this },
    );
    this.databaseName = database.name;
    this.registerOutputs({ connectionName: this.connectionName });
  }

  #makeInstance(name: string, args: DatabaseArgs): Instance {
    const { name: instance, connectionName } = new sql.DatabaseInstance(
      `${name}-instance`,
      {
        project: args.project,
        region: args.region,
        // No name: that of a deleted instance cannot be used again for a week.
        databaseVersion: 'POSTGRES_18',
        deletionProtection: args.deletionProtection,
        settings: toSettings(args),
      },
      { parent: this, protect: args.deletionProtection },
    );
    return { project: args.project, instance, connectionName };
  }
}

type Instance = {
  readonly project: string;
  readonly instance: pulumi.Input<string>;
  readonly connectionName: pulumi.Input<string>;
};

function toSettings(args: DatabaseArgs) {
  return {
    tier: args.tier,
    edition: editionOf(args.tier),
    availabilityType: args.availability,
    deletionProtectionEnabled: args.deletionProtection,
    retainBackupsOnDelete: true,
    // No diskSize: beside a disk that grows it would have the instance made anew.
    diskAutoresize: true,
    connectorEnforcement: 'REQUIRED',
    ipConfiguration: { sslMode: 'ENCRYPTED_ONLY', ...toAddress(args) },
    backupConfiguration: {
      enabled: true,
      startTime: '03:00',
      pointInTimeRecoveryEnabled: true,
      transactionLogRetentionDays: 7,
      backupRetentionSettings: { retainedBackups: 14, retentionUnit: 'COUNT' },
    },
    databaseFlags: databaseFlags(args),
    insightsConfig: { queryInsightsEnabled: true },
    maintenanceWindow: { day: 7, hour: 4, updateTrack: 'stable' },
  };
}

function toAddress({ privateNetwork }: DatabaseArgs) {
  return privateNetwork ? { ipv4Enabled: false, privateNetwork } : { ipv4Enabled: true };
}

function databaseFlags({ tier, maxConnections }: DatabaseArgs): { name: string; value: string }[] {
  return [
    { name: 'cloudsql.iam_authentication', value: 'on' },
    // Said rather than left to the tier's default, for the budget to be against what really holds.
    { name: 'max_connections', value: String(maxConnections || connectionsOf(tier)) },
    // A transaction that somebody forgot keeps dead rows from being cleared away, and slows every claim down.
    { name: 'idle_in_transaction_session_timeout', value: '600000' },
  ];
}

/** Of `project:region:instance`, where the project may have a domain before it: `example.com:project`. */
function splitConnectionName(connectionName: string): Instance {
  const parts = connectionName.split(':');
  return { project: parts.slice(0, -2).join(':'), instance: parts.at(-1) ?? '', connectionName };
}
