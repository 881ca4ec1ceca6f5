import * as sql from '@pulumi/gcp/sql/index.js';
import * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import { SqlDatabase } from './dynamic/dynamic-resources.ts';
import { connectionsOf, editionOf } from './tiers.ts';

export type DatabaseArgs = {
  readonly project: string;
  readonly region: string;
  readonly databaseName: string;
  /** `project:region:instance` of an existing instance; otherwise the component creates one. */
  readonly existingInstance?: string;
  readonly tier: string;
  readonly availability: 'ZONAL' | 'REGIONAL';
  /** 0: the default of the tier. */
  readonly maxConnections?: number;
  /** Full name of the network from which the instance is reached; it then has no public address. */
  readonly privateNetwork?: string;
  /** The network reaches the instance by Private Service Connect instead of private services access. */
  readonly privateServiceConnect?: boolean;
  /** One switch for all three guards: Pulumi's, the provider's and Cloud SQL's own. */
  readonly deletionProtection: boolean;
};

/** A database on Cloud SQL for PostgreSQL that accepts only the connector, with IAM logins. */
export class Database extends Component {
  readonly instanceProject: pulumi.Output<string>;
  readonly instance: pulumi.Output<string>;
  readonly connectionName: pulumi.Output<string>;
  readonly databaseName: pulumi.Output<string>;
  readonly ipType: 'PUBLIC' | 'PRIVATE' | 'PSC';

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Database', name, opts);
    const { project, instance, connectionName } = args.existingInstance
      ? splitConnectionName(args.existingInstance)
      : this.#makeInstance(name, args);
    this.instanceProject = pulumi.output(project);
    this.instance = pulumi.output(instance);
    this.connectionName = pulumi.output(connectionName);
    this.ipType = toIpType(args);
    this.databaseName = this.make(SqlDatabase, 'events', {
      project: this.instanceProject,
      instance: this.instance,
      database: args.databaseName,
    }).database;
  }

  #makeInstance(name: string, args: DatabaseArgs): Instance {
    const { name: instance, connectionName } = new sql.DatabaseInstance(
      `${name}-instance`,
      {
        project: args.project,
        region: args.region,
        // No name: the name of a deleted instance is reserved for a week.
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
    // No diskSize: once the disk has grown, Pulumi would replace the instance.
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
    // The provider adds its default labels to every other resource that costs something.
    userLabels: new pulumi.Config('gcp').getObject<Record<string, string>>('defaultLabels') ?? {},
    maintenanceWindow: { day: 7, hour: 4, updateTrack: 'stable' },
  };
}

function toIpType({ privateNetwork, privateServiceConnect }: DatabaseArgs) {
  if (!privateNetwork) return 'PUBLIC';
  return privateServiceConnect ? 'PSC' : 'PRIVATE';
}

function toAddress({ project, privateNetwork, privateServiceConnect }: DatabaseArgs) {
  if (!privateNetwork) return { ipv4Enabled: true };
  if (!privateServiceConnect) return { ipv4Enabled: false, privateNetwork };
  const host = privateNetwork.split('/')[1] ?? project;
  const pscConfig = {
    pscEnabled: true,
    allowedConsumerProjects: [...new Set([host, project])],
    pscAutoConnections: [{ consumerNetwork: privateNetwork, consumerServiceProjectId: project }],
    // The connector finds the instance by its name.
    pscAutoDnsEnabled: true,
  };
  return { ipv4Enabled: false, pscConfigs: [pscConfig] };
}

function databaseFlags({ tier, maxConnections }: DatabaseArgs): { name: string; value: string }[] {
  return [
    { name: 'cloudsql.iam_authentication', value: 'on' },
    // Set explicitly, so that the connection budget is checked against the actual limit.
    { name: 'max_connections', value: String(maxConnections || connectionsOf(tier)) },
    // An abandoned transaction blocks vacuum, and dead rows slow down every claim.
    { name: 'idle_in_transaction_session_timeout', value: '600000' },
  ];
}

/** Returns the project of an instance by its connection name. */
export function projectOf(connectionName: string): string {
  return splitConnectionName(connectionName).project;
}

/** Splits `project:region:instance`; the project may have a domain prefix: `example.com:project`. */
function splitConnectionName(connectionName: string): Instance {
  const parts = connectionName.split(':');
  return { project: parts.slice(0, -2).join(':'), instance: parts.at(-1) ?? '', connectionName };
}
