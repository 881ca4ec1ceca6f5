import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import { hashMigrations } from '../migrations/hash-migrations.ts';
import type { WatchedInstance } from './alert-rule.ts';
import { Apis } from './apis.ts';
import { Build } from './build.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { Callers } from './callers.ts';
import { checkSettings } from './check-settings.ts';
import { Component } from './component.ts';
import { budgetConnections } from './connection-budget.ts';
import { Database } from './database.ts';
import { Migrations } from './dynamic/dynamic-resources.ts';
import { encryptWith } from './encryption.ts';
import { ExportBucket } from './export-bucket.ts';
import { Functions } from './functions.ts';
import { Iap } from './iap.ts';
import { Identities } from './identities.ts';
import { Monitoring } from './monitoring.ts';
import { nextSteps } from './next-steps.ts';
import type { Outputs } from './outputs.ts';
import type { Settings, SettingsInput } from './settings.ts';
import { findWarnings, isWatchable } from './warnings.ts';

export type DeadLetterOfficeArgs = {
  readonly settings: SettingsInput;
  readonly bundle: Bundle;
};

/**
 * A complete deployment of Dead Letter Office. Throws a ConfigError with every problem of the settings before
 * it registers a resource.
 */
export class DeadLetterOffice extends Component implements Outputs {
  readonly urls: Outputs['urls'];
  readonly captureTopic: Outputs['captureTopic'];
  readonly deliveryIdentities: Outputs['deliveryIdentities'];
  readonly sources: Outputs['sources'];
  readonly next: Outputs['next'];

  constructor(name: string, args: DeadLetterOfficeArgs, opts?: pulumi.ComponentResourceOptions) {
    const settings = checkSettings(args.settings);
    super('DeadLetterOffice', name, opts);
    // Pulumi waits for pending log calls before it exits.
    for (const warning of findWarnings(settings)) void pulumi.log.warn(warning, this);
    const { name: prefix, project, region, grantDelaySeconds } = settings;
    const apis = new Apis(`${prefix}-apis`, settings, { parent: this });
    const inside = {
      parent: this,
      transformations: [waitFor(apis), encryptWith(settings.kmsKey)],
    };

    const building = { project, region, bundle: args.bundle, grantDelaySeconds };
    const build = new Build(`${prefix}-build`, building, inside);
    const database = openDatabase(settings, inside);
    const identities = new Identities(`${prefix}-identities`, { settings, database }, inside);
    const migrations = migrate(`${prefix}-migrations`, { database, identities }, inside);
    const makeTopic = (topic: string) => new pubsub.Topic(topic, { project, name: topic }, inside);
    const topics = { capture: makeTopic(`${prefix}-capture`), continue: makeTopic(`${prefix}-continue`) };
    const continueTopic = topics.continue.id;
    const exportBucket = openExportBucket(settings, inside);
    const iap = settings.iap ? new Iap(`${prefix}-iap`, { project }, inside) : undefined;
    const functions = new Functions(
      `${prefix}-functions`,
      { settings, build, identities, database, migrations, continueTopic, iap, exportBucket },
      inside,
    );
    exportBucket?.allow(`${prefix}-maintain`, functions.get('maintain').member);
    const callers = new Callers(`${prefix}-callers`, { settings, functions, iap, topics }, inside);
    watch(settings, { database, callers }, inside);

    this.urls = functions.urls;
    this.captureTopic = topics.capture.id;
    this.deliveryIdentities = functions.delivering.map(({ member }) => member);
    this.sources = callers.sources.nextSteps;
    const { deadLetters, pusher } = callers.capture;
    this.next = nextSteps(settings, { urls: this.urls, deadLetters, pusher });
  }
}

/** Makes a component and all its children wait for `first`; dependsOn covers the component only. */
function waitFor(first: pulumi.Resource): pulumi.ResourceTransformation {
  return ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { dependsOn: [first] }) });
}

/** Returns undefined if `databaseUrls` locates a database outside of Cloud SQL. */
function openDatabase(settings: Settings, opts: pulumi.ComponentResourceOptions): Database | undefined {
  if (Object.keys(settings.databaseUrls).length > 0) return undefined;
  const databaseName = settings.name.replaceAll('-', '_');
  return new Database(`${settings.name}-database`, { ...settings, databaseName }, opts);
}

/** Returns none for a database outside of Cloud SQL, which the operator migrates. */
function migrate(
  name: string,
  { database, identities }: { readonly database: Database | undefined; readonly identities: Identities },
  opts: pulumi.ComponentResourceOptions,
): readonly Migrations[] {
  const { deployer, logins } = identities;
  if (!database || !deployer) return [];
  const { connectionName: instance, databaseName, ipType } = database;
  const location = { instance, database: databaseName, user: deployer.user, ipType };
  const inputs = { ...location, logins: pulumi.output(logins), migrations: hashMigrations() };
  return [new Migrations(name, inputs, { ...opts, dependsOn: [identities] })];
}

function openExportBucket(
  settings: Settings,
  opts: pulumi.ComponentResourceOptions,
): ExportBucket | undefined {
  if (!settings.exportArchive) return undefined;
  return new ExportBucket(`${settings.name}-exports`, { ...settings, existing: settings.exportBucket }, opts);
}

function watch(
  settings: Settings,
  { database, callers }: { readonly database: Database | undefined; readonly callers: Callers },
  inside: pulumi.ComponentResourceOptions,
): void {
  const subscriptions = [callers.capture, callers.continue];
  const watched = {
    name: settings.name,
    subscriptions: subscriptions.flatMap((each) => each.subscriptions),
    deadLetterSubscriptions: subscriptions.map(({ deadLetters }) => deadLetters),
    instance: database && isWatchable(settings) ? describeInstance(settings, database) : undefined,
    thresholds: settings,
  };
  new Monitoring(`${settings.name}-monitoring`, { ...settings, watched }, inside);
}

function describeInstance(settings: Settings, database: Database): WatchedInstance {
  return {
    id: pulumi.interpolate`${database.instanceProject}:${database.instance}`,
    sharedDatabase: settings.existingInstance ? database.databaseName : undefined,
    plannableConnections: budgetConnections(settings).plannable,
  };
}
