import * as sql from '@pulumi/gcp/sql/index.js';
import * as pulumi from '@pulumi/pulumi';
import { splitConnectionName } from './connection-name.ts';
import type { Deployment } from './deployment.ts';
import type { Settings } from './settings.ts';
import { connectionsOf, editionOf } from './tiers.ts';

export type Database = ReturnType<typeof openDatabase>;

/** Opens a database on Cloud SQL for PostgreSQL that accepts only the connector, with IAM logins. */
export function openDatabase(deployment: Deployment) {
  const { settings } = deployment;
  const { existingInstance } = settings;
  const connectionName = pulumi.output(existingInstance || makeInstance(deployment).connectionName);
  const { project, instance } = connectionName.apply(splitConnectionName);
  const instanceProject = existingInstance ? project : pulumi.output(settings.project);
  return {
    connectionName,
    instanceProject,
    instance,
    /** `project:instance` */
    id: pulumi.interpolate`${instanceProject}:${instance}`,
    databaseName: databaseNameOf(settings),
    ipType: toIpType(settings),
  };
}

function makeInstance({ settings, make }: Deployment) {
  const { project, region, kmsKey, deletionProtection } = settings;
  const args = {
    project,
    region,
    // No name: the name of a deleted instance is reserved for a week.
    databaseVersion: 'POSTGRES_18',
    deletionProtection,
    ...(kmsKey && { encryptionKeyName: kmsKey }),
    settings: toSettings(settings),
  };
  return make(sql.DatabaseInstance, 'database-instance', args, { protect: deletionProtection });
}

/** Returns the name of the database of a deployment on its instance. */
export function databaseNameOf({ name }: Settings): string {
  return name.replaceAll('-', '_');
}

function toSettings(settings: Settings) {
  return {
    tier: settings.tier,
    edition: editionOf(settings.tier),
    availabilityType: settings.availability,
    deletionProtectionEnabled: settings.deletionProtection,
    retainBackupsOnDelete: true,
    // No diskSize: once the disk has grown, Pulumi would replace the instance.
    diskAutoresize: true,
    connectorEnforcement: 'REQUIRED',
    ipConfiguration: { sslMode: 'ENCRYPTED_ONLY', ...toAddress(settings) },
    backupConfiguration: {
      enabled: true,
      startTime: '03:00',
      pointInTimeRecoveryEnabled: true,
      transactionLogRetentionDays: 7,
      backupRetentionSettings: { retainedBackups: settings.retainedBackups, retentionUnit: 'COUNT' },
    },
    databaseFlags: toFlags(settings),
    insightsConfig: { queryInsightsEnabled: true },
    // The provider adds its default labels to every other resource that costs something.
    userLabels: new pulumi.Config('gcp').getObject<Record<string, string>>('defaultLabels') ?? {},
    maintenanceWindow: {
      day: settings.maintenanceDay,
      hour: settings.maintenanceHour,
      updateTrack: 'stable',
    },
  };
}

function toIpType({ privateNetwork, privateServiceConnect }: Settings): 'PUBLIC' | 'PRIVATE' | 'PSC' {
  if (!privateNetwork) return 'PUBLIC';
  return privateServiceConnect ? 'PSC' : 'PRIVATE';
}

function toAddress({ project, privateNetwork, privateServiceConnect }: Settings) {
  if (!privateNetwork) return { ipv4Enabled: true };
  if (!privateServiceConnect) return { ipv4Enabled: false, privateNetwork };
  const host = pulumi.output(privateNetwork).apply((network) => network.split('/')[1] ?? '');
  const pscConfig = {
    pscEnabled: true,
    allowedConsumerProjects: pulumi.all([host, project]).apply((projects) => [...new Set(projects)]),
    pscAutoConnections: [{ consumerNetwork: privateNetwork, consumerServiceProjectId: project }],
    // The connector finds the instance by its name.
    pscAutoDnsEnabled: true,
  };
  return { ipv4Enabled: false, pscConfigs: [pscConfig] };
}

function toFlags({ tier, maxConnections, databaseFlags }: Settings) {
  const flags = {
    'cloudsql.iam_authentication': 'on',
    // Set explicitly, so that the connection budget is checked against the actual limit.
    max_connections: String(maxConnections || connectionsOf(tier)),
    // An abandoned transaction blocks vacuum, and dead rows slow down every claim.
    idle_in_transaction_session_timeout: '600000',
    // Parameters in the log may be payloads.
    log_parameter_max_length: '0',
    ...databaseFlags,
  };
  return Object.entries(flags).map(([name, value]) => ({ name, value }));
}
