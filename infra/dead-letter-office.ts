import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { WatchedInstance } from './alert-rules.ts';
import { Apis } from './apis.ts';
import { Build } from './build.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { Callers } from './callers.ts';
import { checkSettings } from './check-settings.ts';
import { Component } from './component.ts';
import { budgetConnections } from './connection-budget.ts';
import { Database } from './database.ts';
import { encryptWith } from './encryption.ts';
import { ExportBucket } from './export-bucket.ts';
import { Functions } from './functions.ts';
import { Iap } from './iap.ts';
import { Identities } from './identities.ts';
import { labelWith } from './labels.ts';
import { describeCommand } from './migrate/describe-command.ts';
import { Migrations } from './migrate/migrations.ts';
import { Monitoring } from './monitoring.ts';
import { nextSteps } from './next-steps.ts';
import { describeSchema, type Schema } from './schema.ts';
import type { Settings, SettingsInput } from './settings.ts';
import { findWarnings, isWatchable } from './warnings.ts';

export type MakeMigrations = (schema: Schema, opts: pulumi.CustomResourceOptions) => pulumi.Resource;

export type DeadLetterOfficeArgs = {
  readonly settings: SettingsInput;
  readonly bundle: Bundle;
  /** Creates the resource that migrates the schema; functions wait for it. Default: Migrations. */
  readonly migrate?: MakeMigrations;
};

/**
 * A complete deployment of Dead Letter Office. Throws a ConfigError with every problem of the settings before it
 * registers a resource.
 */
export class DeadLetterOffice extends Component {
  /** The address of each function. */
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  /** Topic to which sources publish failures. */
  readonly captureTopic: pulumi.Output<string>;
  /** Service accounts that deliver. HTTP targets must admit them; access to Pub/Sub topics of routes is granted. */
  readonly deliveryIdentities: readonly pulumi.Output<string>[];
  /** The step that remains at each source, by its name. */
  readonly sources: Readonly<Record<string, pulumi.Output<string>>>;
  /** Commands for operators. */
  readonly next: Readonly<Record<string, pulumi.Input<string>>>;
  /** The command that migrates, with `migrateByHand`; otherwise undefined. */
  readonly migrate: pulumi.Output<string> | undefined;

  constructor(name: string, args: DeadLetterOfficeArgs, opts?: pulumi.ComponentResourceOptions) {
    const settings = checkSettings(args.settings);
    super('DeadLetterOffice', name, opts);
    // Pulumi waits for pending log calls before it exits.
    for (const warning of findWarnings(settings)) void pulumi.log.warn(warning, this);
    const { name: prefix, project, region, grantDelaySeconds } = settings;
    const apis = new Apis(`${prefix}-apis`, settings, { parent: this });
    const inside = {
      parent: this,
      transformations: [waitFor(apis), labelWith(settings.labels), encryptWith(settings.kmsKey)],
    };

    const building = { project, region, bundle: args.bundle, grantDelaySeconds };
    const build = new Build(`${prefix}-build`, building, inside);
    const database = openDatabase(settings, inside);
    const identities = new Identities(`${prefix}-identities`, { settings, database }, inside);
    const schema = describeSchema(settings, { database, identities });
    const { migrate = migrateWith(`${prefix}-migrations`) } = args;
    const migrations =
      schema && !settings.migrateByHand ? [migrate(schema, { ...inside, dependsOn: [identities] })] : [];
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
    this.migrate = settings.migrateByHand ? describeMigration(schema) : undefined;
  }
}

function migrateWith(name: string): MakeMigrations {
  return (schema, opts) => new Migrations(name, schema, opts);
}

/** Returns undefined for a database outside of Cloud SQL, whose URL the operator knows. */
function describeMigration(schema: Schema | undefined): pulumi.Output<string> | undefined {
  if (!schema || !('instance' in schema)) return undefined;
  return pulumi.output(schema).apply((known) => describeCommand(known, known.logins));
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
