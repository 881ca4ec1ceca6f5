import type * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import { GroupRulesSchema } from '../shared/config/group-rules.ts';
import { functionNames, type Setting } from '../shared/config/setting.ts';
import { isTimeZone } from '../shared/config/time.ts';
import { variables } from '../shared/environment/environment.ts';
import { type LimitName, limits } from '../shared/metrics/metrics.ts';
import { cronRemedy, isSchedule } from './cron.ts';
import { DeployerSchema, ReaderSchema, UserSchema } from './members.ts';
import { count, matching, nameLike, orOutput, plainText, text } from './setting-schemas.ts';
import { SourceSchema } from './source-settings.ts';
import { type StackName, stackSettings } from './stack-settings.ts';
import { tierPattern, tierRemedy } from './tiers.ts';

const orNothing = (pattern: RegExp, remedy: string) =>
  v.optional(orOutput(matching(new RegExp(`^$|${pattern.source}`), remedy)), '');
const textOrNothing = v.optional(orOutput(text), '');
const numberBetween = (min: number, max: number, fallback: number) => v.optional(count(min, max), fallback);
const flagOf = (fallback: boolean) => v.optional(v.boolean('Use true or false.'), fallback);
type Numbers = Record<StackName<{ readonly kind: 'number' }> | LimitName, ReturnType<typeof numberBetween>>;
type Flags = Record<StackName<{ readonly kind: 'flag' }>, ReturnType<typeof flagOf>>;

const entryOf = ({ kind, min = 0, max = 0, default: fallback }: Partial<Setting>): v.GenericSchema =>
  kind === 'flag' ? flagOf(fallback === true) : numberBetween(min, max, Number(fallback));

/** The settings that follow from the numbers and flags among the variables, and from the limits of alerts. */
const variableEntries = Object.fromEntries(
  stackSettings.flatMap(({ name, setting, stack }) =>
    setting.kind ? [[name, entryOf({ ...setting, ...stack })] as const] : [],
  ),
) as unknown as Omit<Numbers, LimitName> & Flags;
const limitEntries = Object.fromEntries(
  limits.map((limit) => [limit.setting, entryOf(limit)]),
) as unknown as Pick<Numbers, LimitName>;
/** The first is the default. */
const oneOf = <First extends string, Other extends string>(first: First, ...others: Other[]) =>
  v.optional(v.picklist([first, ...others], `Use ${[first, ...others].join(', ')}.`), first);
const list = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.array(schema, 'Use a list.'), []);

const byName = <Name extends string>(what: string, names: readonly Name[], form: [RegExp, string]) => {
  const known = v.picklist(names, `Unknown ${what}: use ${names.join(', ')}.`);
  const value = orOutput(matching(...form));
  return v.record(known, value, `Use an object with a text for each ${what}.`);
};

/** Each function has a login of its own, so each needs its own URL. */
const urlNames = [...functionNames, 'signed-capture'] as const;

/** The service accounts of a deployment, without its name. */
const accountNames = [
  'build',
  ...urlNames,
  'capture-push',
  'continue-push',
  'retry-schedule',
  'maintain-schedule',
] as const;

/** The settings that become a variable in another form: tsc names one that is missing. */
const formedEntries = {
  exportBucket: textOrNothing,
  groupRules: v.optional(GroupRulesSchema, []),
  environmentName: v.optional(orOutput(v.pipe(text, v.maxLength(40, 'Use at most 40 characters.'))), ''),
  routes: v.optional(v.array(v.unknown(), 'Use a list of routes.'), []),
  masks: list(text),
  sources: list(SourceSchema),
  operators: list(UserSchema),
  viewers: list(UserSchema),
  captureSecrets: textOrNothing,
} satisfies Record<Exclude<StackName<unknown>, keyof Numbers | keyof Flags>, v.GenericSchema>;

/**
 * The settings of a deployment, as `Pulumi.yaml` declares them and the component takes them. Routes,
 * secrets and the export bucket are checked by the code of the functions: see check-settings.ts.
 */
export const SettingsSchema = v.strictObject({
  project: orOutput(
    matching(/^[a-z][a-z0-9.:-]{4,}[a-z0-9]$/, 'Set the id of a project: pulumi config set gcp:project ID'),
  ),
  name: v.optional(
    matching(
      // The function for signed captures is NAME-signed-capture.
      /^(?!goog|.*-signed$)[a-z][a-z0-9-]{0,10}[a-z0-9]$/,
      'Use 2 to 12 lower-case letters, digits and hyphens, without goog before or -signed after them.',
    ),
    'dlo',
  ),
  region: v.optional(
    orOutput(matching(/^[a-z]+-[a-z]+\d+$/, 'Must be a region, such as europe-west1.')),
    'us-central1',
  ),
  deployer: orOutput(DeployerSchema),

  tier: v.optional(matching(tierPattern, tierRemedy), 'db-custom-1-3840'),
  availability: oneOf('ZONAL', 'REGIONAL'),
  deletionProtection: flagOf(true),
  existingInstance: orNothing(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.'),
  databaseUrls: v.optional(
    byName('function', urlNames, [/^postgres(ql)?:\/\//, 'Must start with postgres:// or postgresql://.']),
    {},
  ),
  maxConnections: numberBetween(0, 262_143, 0),
  databaseFlags: v.optional(
    v.record(
      matching(
        /^(?!cloudsql\.iam_authentication$|max_connections$)/,
        'The deployment sets this flag: use maxConnections.',
      ),
      orOutput(plainText),
      'Use an object with a value for each flag.',
    ),
    {},
  ),
  maintenanceDay: numberBetween(1, 7, 7),
  maintenanceHour: numberBetween(0, 23, 4),
  retainedBackups: numberBetween(1, 365, 14),
  readers: list(ReaderSchema),
  privateNetwork: orNothing(...nameLike('projects/PROJECT/global/networks/NETWORK')),
  privateSubnetwork: orNothing(...nameLike('projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK')),
  privateServiceConnect: flagOf(false),

  ingress: oneOf('ALLOW_ALL', 'ALLOW_INTERNAL_AND_GCLB', 'ALLOW_INTERNAL_ONLY'),
  kmsKey: orNothing(...nameLike('projects/PROJECT/locations/REGION/keyRings/RING/cryptoKeys/KEY')),
  grantDelaySeconds: numberBetween(0, 900, 120),
  serviceAccounts: v.optional(
    byName('account', accountNames, [
      /^(?=.{1,63}\.gserviceaccount\.com$)[^@\s]+@[^@\s]+$/,
      'Must be the address of a service account. A login has at most 63 characters, without .gserviceaccount.com.',
    ]),
    {},
  ),
  repository: orNothing(...nameLike('projects/PROJECT/locations/REGION/repositories/REPOSITORY')),
  sourceBucket: orNothing(...variables.EXPORT_BUCKET.form),
  workerPool: orNothing(...nameLike('projects/PROJECT/locations/REGION/workerPools/POOL')),

  schedule: v.optional(v.pipe(text, v.check(isSchedule, cronRemedy)), '0 */6 * * *'),
  timeZone: v.optional(v.pipe(text, v.check(isTimeZone, 'Use a name such as Europe/Berlin.')), 'Etc/UTC'),
  paused: flagOf(false),
  ...variableEntries,
  captureInstances: numberBetween(1, 1000, 2),
  exportArchive: flagOf(false),
  ...formedEntries,

  iap: flagOf(false),

  alertEmail: orNothing(/^[^@\s]+@[^@\s]+$/, 'Must be an e-mail address.'),
  notificationChannels: list(orOutput(matching(...nameLike('projects/PROJECT/notificationChannels/ID')))),
  runbookUrl: orNothing(/^https:\/\/\S+$/, 'Must be the https address of docs/runbook.md.'),
  ...limitEntries,
});

export type Settings = v.InferOutput<typeof SettingsSchema>;
export type SettingsInput = v.InferInput<typeof SettingsSchema>;
/** Settings without outputs. */
export type KnownSettings = pulumi.Unwrap<Settings>;

/** Whether `databaseUrls` does not locate a database outside of Cloud SQL, which the operator migrates. */
export function isOnCloudSql({ databaseUrls }: Settings): boolean {
  return Object.keys(databaseUrls).length === 0;
}
