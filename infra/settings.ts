import * as v from 'valibot';
import { GroupRulesSchema } from '../shared/config/group-rules.ts';
import { functionNames, type Setting } from '../shared/config/setting.ts';
import { isTimeZone } from '../shared/config/time-zone.ts';
import { type LimitName, limits } from '../shared/metrics/metrics.ts';
import { accountNames } from './account-names.ts';
import { findCronProblem } from './cron.ts';
import { MemberSchema, ReaderSchema, UserSchema } from './members.ts';
import { count, matching, nameLike, text } from './setting-schemas.ts';
import { SourceSchema } from './source-settings.ts';
import { type StackName, stackSettings } from './stack-settings.ts';
import { memoryOf, tierRemedy } from './tiers.ts';

const orNothing = (pattern: RegExp, remedy: string) =>
  v.optional(matching(new RegExp(`^$|${pattern.source}`), remedy), '');
const yesOrNo = v.boolean('Use true or false.');
const numberBetween = (min: number, max: number, fallback: number) => v.optional(count(min, max), fallback);
const flagOf = (fallback: boolean) => v.optional(yesOrNo, fallback);
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

/** Each function has a login of its own, so each needs its own URL. */
const urlNames = [...functionNames, 'signed-capture'] as const;

/** The settings that become a variable in another form: tsc names one that is missing. */
const formedEntries = {
  exportBucket: v.optional(text, ''),
  groupRules: v.optional(GroupRulesSchema, []),
  environmentName: v.optional(v.pipe(text, v.maxLength(40, 'Use at most 40 characters.')), ''),
  routes: v.optional(v.array(v.unknown(), 'Use a list of routes.'), []),
  masks: list(text),
  sources: list(SourceSchema),
  operators: list(UserSchema),
  viewers: list(UserSchema),
  captureSecrets: v.optional(text, ''),
} satisfies Record<Exclude<StackName<unknown>, keyof Numbers | keyof Flags>, v.GenericSchema>;

/**
 * The settings of a deployment, as `Pulumi.yaml` declares them and `DeadLetterOffice` takes them. Routes,
 * secrets and the export bucket are checked by the code of the functions: see check-settings.ts.
 */
export const SettingsSchema = v.strictObject({
  project: matching(
    /^[a-z][a-z0-9.:-]{4,}[a-z0-9]$/,
    'Set the id of a project: pulumi config set gcp:project ID',
  ),
  name: v.optional(
    matching(
      /^[a-z][a-z0-9-]{0,10}[a-z0-9]$/,
      'Use 2 to 12 lower-case letters, digits and hyphens: names of service accounts begin with it.',
    ),
    'dlo',
  ),
  region: v.optional(
    matching(/^[a-z]+-[a-z]+\d+$/, 'Must be a region, such as europe-west1.'),
    'us-central1',
  ),
  deployer: v.pipe(
    MemberSchema,
    v.regex(/^(user|serviceAccount):/, 'Set the account that runs pulumi up: user:... or serviceAccount:...'),
    v.check(
      (member) => member.startsWith('serviceAccount:') === member.endsWith('.gserviceaccount.com'),
      'Addresses that end in .gserviceaccount.com are service accounts, all others are not: serviceAccount:... or user:...',
    ),
  ),

  tier: v.optional(
    v.pipe(
      text,
      v.check((tier) => memoryOf(tier) !== undefined, tierRemedy),
    ),
    'db-custom-1-3840',
  ),
  availability: oneOf('ZONAL', 'REGIONAL'),
  deletionProtection: v.optional(yesOrNo, true),
  existingInstance: orNothing(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.'),
  databaseUrls: v.optional(
    v.record(
      v.picklist(urlNames, `Unknown function: use ${urlNames.join(', ')}.`),
      matching(/^postgres(ql)?:\/\//, 'Must start with postgres:// or postgresql://.'),
      'Use an object with a URL for each function.',
    ),
    {},
  ),
  maxConnections: v.optional(count(0, 262_143), 0),
  databaseFlags: v.optional(v.record(text, text, 'Use an object with a value for each flag.'), {
    log_parameter_max_length: '0',
  }),
  maintenanceDay: v.optional(count(1, 7), 7),
  maintenanceHour: v.optional(count(0, 23), 4),
  retainedBackups: v.optional(count(1, 365), 14),
  readers: list(ReaderSchema),
  privateNetwork: orNothing(...nameLike('projects/PROJECT/global/networks/NETWORK')),
  privateSubnetwork: orNothing(...nameLike('projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK')),
  privateServiceConnect: v.optional(yesOrNo, false),

  ingress: oneOf('ALLOW_ALL', 'ALLOW_INTERNAL_AND_GCLB', 'ALLOW_INTERNAL_ONLY'),
  kmsKey: orNothing(...nameLike('projects/PROJECT/locations/REGION/keyRings/RING/cryptoKeys/KEY')),
  grantDelaySeconds: v.optional(count(0, 900), 120),
  serviceAccounts: v.optional(
    v.record(
      v.picklist(accountNames, `Unknown account: use ${accountNames.join(', ')}.`),
      matching(/^[^@\s]+@[^@\s]+\.gserviceaccount\.com$/, 'Must be the address of a service account.'),
      'Use an object with an address for each account.',
    ),
    {},
  ),
  repository: orNothing(...nameLike('projects/PROJECT/locations/REGION/repositories/REPOSITORY')),
  sourceBucket: v.optional(text, ''),
  workerPool: orNothing(...nameLike('projects/PROJECT/locations/REGION/workerPools/POOL')),

  schedule: v.optional(v.pipe(text, v.rawCheck(checkCron)), '0 */6 * * *'),
  timeZone: v.optional(
    v.pipe(text, v.check(isTimeZone, 'Must be a name such as Etc/UTC or Europe/Berlin.')),
    'Etc/UTC',
  ),
  paused: v.optional(yesOrNo, false),
  ...variableEntries,
  captureInstances: v.optional(count(1, 1000), 2),
  exportArchive: v.optional(yesOrNo, false),
  ...formedEntries,

  iap: v.optional(yesOrNo, false),

  alertEmail: orNothing(/^[^@\s]+@[^@\s]+$/, 'Must be an e-mail address.'),
  notificationChannels: list(matching(...nameLike('projects/PROJECT/notificationChannels/ID'))),
  runbookUrl: orNothing(/^https:\/\/\S+$/, 'Must be the https address of docs/runbook.md.'),
  ...limitEntries,
  alertTickHours: v.optional(count(0, 8784), 0),
  alertDiskDays: v.optional(count(1, 90), 3),
});

export type Settings = v.InferOutput<typeof SettingsSchema>;
export type SettingsInput = v.InferInput<typeof SettingsSchema>;

function checkCron({ dataset, addIssue }: v.RawCheckContext<string>): void {
  const message = dataset.typed ? findCronProblem(dataset.value) : undefined;
  if (message) addIssue({ message });
}
