import * as v from 'valibot';
import { MemberSchema, PersonSchema } from './members.ts';
import { SourceSchema } from './source-settings.ts';
import { memoryOf, tierRemedy } from './tiers.ts';

const text = v.string('Give it as text.');
const matching = (pattern: RegExp, remedy: string) => v.pipe(text, v.regex(pattern, remedy));
const orNothing = (pattern: RegExp, remedy: string) =>
  v.optional(v.pipe(text, v.regex(new RegExp(`^$|${pattern.source}`), remedy)), '');
const yesOrNo = v.boolean('Use true or false.');
const number = v.number('Give it as a number.');
const count = (least: number, most: number) => {
  const remedy = `Use a whole number from ${least} to ${most}.`;
  return v.pipe(number, v.integer(remedy), v.minValue(least, remedy), v.maxValue(most, remedy));
};
const list = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.array(schema, 'Give a list.'), []);

/**
 * How an office is deployed: what `Pulumi.yaml` describes, and what a `DeadLetterOffice` is made from. What only the
 * functions can judge (routes, batches, retries) is checked by their own code: see check-settings.ts.
 */
export const SettingsSchema = v.strictObject({
  project: matching(
    /^[a-z][a-z0-9.:-]{4,}[a-z0-9]$/,
    'Must be the id of a project: pulumi config set gcp:project ID',
  ),
  name: v.optional(
    matching(
      /^[a-z][a-z0-9-]{0,10}[a-z0-9]$/,
      'Use 2 to 12 small letters, digits and hyphens: service accounts add to it.',
    ),
    'dlo',
  ),
  region: v.optional(
    matching(/^[a-z]+-[a-z]+\d+$/, 'Must be a region, such as europe-west1.'),
    'us-central1',
  ),
  deployer: v.pipe(
    MemberSchema,
    v.regex(/^(user|serviceAccount):/, 'Must be who runs pulumi up: user:... or serviceAccount:...'),
  ),

  tier: v.optional(
    v.pipe(
      text,
      v.check((tier) => memoryOf(tier) !== undefined, tierRemedy),
    ),
    'db-custom-1-3840',
  ),
  availability: v.optional(v.picklist(['ZONAL', 'REGIONAL'], 'Use ZONAL or REGIONAL.'), 'ZONAL'),
  deletionProtection: v.optional(yesOrNo, true),
  existingInstance: orNothing(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.'),
  databaseUrls: v.optional(v.record(text, text, 'Give an object: a URL for each function.'), {}),
  maxConnections: v.optional(count(0, 262_143), 0),
  privateNetwork: orNothing(
    /^projects\/[^/]+\/global\/networks\/[^/]+$/,
    'Must look like projects/PROJECT/global/networks/NETWORK.',
  ),
  privateSubnetwork: orNothing(
    /^projects\/[^/]+\/regions\/[^/]+\/subnetworks\/[^/]+$/,
    'Must look like projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK.',
  ),

  migrateByHand: v.optional(yesOrNo, false),

  schedule: v.optional(
    matching(/^\S+( \S+){4}$/, 'Must have the five fields of cron, such as "0 */6 * * *".'),
    '0 */6 * * *',
  ),
  timeZone: v.optional(
    v.pipe(text, v.check(isTimeZone, 'Must be a name such as Etc/UTC or Europe/Berlin.')),
    'Etc/UTC',
  ),
  paused: v.optional(yesOrNo, false),
  batchSize: v.optional(number, 50),
  maxRetries: v.optional(number, 240),
  maxReturns: v.optional(number, 10),
  maxEventsPerTick: v.optional(number, 0),
  leaseSeconds: v.optional(number, 300),
  workers: v.optional(count(1, 100), 2),
  captureInstances: v.optional(count(1, 1000), 3),
  archiveAfterDays: v.optional(number, 30),
  sourceRetentionDays: v.optional(number, 31),
  retainMonths: v.optional(number, 24),
  exportArchive: v.optional(yesOrNo, false),
  exportBucket: v.optional(text, ''),
  openWarnDays: v.optional(number, 14),
  filterCostLimit: v.optional(number, 500_000),
  notify: v.optional(yesOrNo, false),

  routes: v.optional(v.array(v.unknown(), 'Give a list of routes.'), []),
  sources: list(SourceSchema),
  operators: list(PersonSchema),
  viewers: list(PersonSchema),
  captureSecrets: v.optional(text, ''),

  alertEmail: orNothing(/^[^@\s]+@[^@\s]+$/, 'Must be an e-mail address.'),
  runbookUrl: orNothing(/^https:\/\/\S+$/, 'Must be the https address of docs/runbook.md.'),
  alertPending: v.optional(count(1, 1_000_000_000), 10_000),
  alertOldestHours: v.optional(count(1, 8760), 24),
  alertFailedPermanently: v.optional(count(1, 1_000_000_000), 100),
  alertTickHours: v.optional(count(1, 168), 7),
});

export type Settings = v.InferOutput<typeof SettingsSchema>;
export type SettingsInput = v.InferInput<typeof SettingsSchema>;

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format() !== '';
  } catch {
    return false;
  }
}
