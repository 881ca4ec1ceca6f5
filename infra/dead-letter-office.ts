import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import { Apis } from './apis.ts';
import { Build, type Bundle } from './build.ts';
import { Callers } from './callers.ts';
import { checkSettings } from './check-settings.ts';
import { budgetConnections } from './connection-budget.ts';
import { Database } from './database.ts';
import { ExportBucket } from './export-bucket.ts';
import { Functions } from './functions.ts';
import { Identities } from './identities.ts';
import { Monitoring } from './monitoring.ts';
import { nextSteps } from './next-steps.ts';
import { describeSchema, type Schema } from './schema.ts';
import type { Settings, SettingsInput } from './settings.ts';
import { waitFor } from './wait-for.ts';
import { findWarnings } from './warnings.ts';

export type DeadLetterOfficeArgs = {
  readonly settings: SettingsInput;
  readonly bundle: Bundle;
  /** Brings the schema up to date. No function is made before it is. Without it that is left to somebody else. */
  readonly migrate?: ((schema: Schema, opts: pulumi.CustomResourceOptions) => pulumi.Resource) | undefined;
};

/**
 * A whole office in a project of yours. Throws a ConfigError that names everything that is wrong with the settings,
 * before anything is made.
 */
export class DeadLetterOffice extends pulumi.ComponentResource {
  /** The address of each function. */
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  /** Where to publish failures to. */
  readonly captureTopic: pulumi.Output<string>;
  /** Who delivers: let them into the HTTP targets of your routes. Into Pub/Sub topics they are let already. */
  readonly deliverers: readonly pulumi.Output<string>[];
  /** What remains to be done at each source. */
  readonly sources: Readonly<Record<string, pulumi.Output<string>>>;
  /** What has to be migrated; nothing where the settings do not say as whom. */
  readonly schema: Schema | undefined;
  /** Commands for people. */
  readonly next: Readonly<Record<string, pulumi.Input<string>>>;

  constructor(name: string, args: DeadLetterOfficeArgs, opts?: pulumi.ComponentResourceOptions) {
    const settings = checkSettings(args.settings);
    super('dead-letter-office:gcp:DeadLetterOffice', name, {}, opts);
    // Pulumi itself waits for what is logged.
    for (const warning of findWarnings(settings)) void pulumi.log.warn(warning, this);
    const { name: office, project, region } = settings;
    const apis = new Apis(`${office}-apis`, { project }, { parent: this });
    const inside = { parent: this, ...waitFor([apis]) };

    const build = new Build(`${office}-build`, { project, region, bundle: args.bundle }, inside);
    const database = openDatabase(settings, inside);
    const identities = new Identities(`${office}-identities`, { settings, database }, inside);
    const schema = describeSchema(settings, { database, identities });
    const migrations =
      schema && args.migrate ? [args.migrate(schema, { ...inside, dependsOn: [identities] })] : [];
    const makeTopic = (topic: string) => new pubsub.Topic(topic, { project, name: topic }, inside);
    const topics = { capture: makeTopic(`${office}-capture`), continue: makeTopic(`${office}-continue`) };
    const continueTopic = topics.continue.id;
    const exportBucket = openExportBucket(settings, inside);
    const functions = new Functions(
      `${office}-functions`,
      { settings, build, identities, database, migrations, continueTopic, exportBucket },
      inside,
    );
    exportBucket?.allow(`${office}-maintain`, functions.get('maintain').member);
    const callers = new Callers(`${office}-callers`, { settings, functions, topics }, inside);
    watch(settings, { database, callers }, inside);

    this.urls = functions.urls;
    this.captureTopic = topics.capture.id;
    this.deliverers = functions.delivering.map(({ member }) => member);
    this.sources = callers.sources.nextSteps;
    this.schema = schema;
    const { lastResort, pusher } = callers.capture;
    this.next = nextSteps({ project, region, name: office }, { urls: this.urls, lastResort, pusher });
    this.registerOutputs({ urls: this.urls, captureTopic: this.captureTopic });
  }
}

/** None where the functions are told by URL of one that is not on Cloud SQL. */
function openDatabase(settings: Settings, opts: pulumi.ComponentResourceOptions): Database | undefined {
  if (Object.keys(settings.databaseUrls).length > 0) return undefined;
  const databaseName = settings.name.replaceAll('-', '_');
  return new Database(`${settings.name}-database`, { ...settings, databaseName }, opts);
}

function openExportBucket(
  { name, project, region, exportArchive, exportBucket: existing }: Settings,
  opts: pulumi.ComponentResourceOptions,
): ExportBucket | undefined {
  if (!exportArchive) return undefined;
  return new ExportBucket(`${name}-exports`, { project, region, existing }, opts);
}

function watch(
  settings: Settings,
  { database, callers }: { readonly database: Database | undefined; readonly callers: Callers },
  inside: pulumi.ComponentResourceOptions,
): void {
  const { name, project, alertEmail, runbookUrl } = settings;
  const subscriptions = [callers.capture, callers.continue];
  const watched = {
    name,
    subscriptions: subscriptions.map(({ subscription }) => subscription),
    lastResorts: subscriptions.map(({ lastResort }) => lastResort),
    instance: database && {
      id: pulumi.interpolate`${database.instanceProject}:${database.instance}`,
      plannableConnections: budgetConnections(settings).plannable,
    },
    thresholds: settings,
  };
  new Monitoring(`${name}-monitoring`, { project, watched, alertEmail, runbookUrl }, inside);
}
