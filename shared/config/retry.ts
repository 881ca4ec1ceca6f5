import * as v from 'valibot';
import { type Checked, check } from './validate.ts';
import { flag, numberVariable, readSettings, type Settings, type Texts, variable } from './variable.ts';

/** The settings of the delivery engine, for scheduled ticks and replays. */
export const RetrySchema = v.object({
  RETRY_ENABLED: flag(true, 'Enables retries; with `false` every tick ends without claiming an event.'),
  BATCH_SIZE: numberVariable(
    { default: 500, min: 1, max: 1000 },
    'Maximum events in one claim: a worker claims what it delivered in the last 250 ms, and at least 50.',
  ),
  MAX_RETRIES: numberVariable(
    { default: 240, min: 0, max: 10_000 },
    'Failed retries after which an event becomes FAILED_PERMANENTLY; a route or an event can override it.',
  ),
  TICK_BUDGET_SECONDS: numberVariable(
    { default: 1500, min: 1, max: 3600 },
    'Seconds after which a worker claims no further batch; a requested one after at most 480.',
  ),
  CONTINUE_TOPIC: variable(
    {
      allowed: '`projects/PROJECT/topics/TOPIC`',
      description: 'Pub/Sub topic on which a run requests more workers; without it a run has one worker.',
    },
    v.optional(
      v.pipe(
        v.string(),
        v.regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'Must look like projects/PROJECT/topics/TOPIC.'),
      ),
    ),
  ),
  WORKERS: numberVariable({ default: 4, min: 1, max: 100 }, 'Maximum concurrent workers of one run.'),
  MAX_EVENTS_PER_TICK: numberVariable(
    { default: 0, min: 0, max: 1_000_000_000 },
    'Maximum events that one tick claims; 0: no limit.',
  ),
  LEASE_SECONDS: numberVariable(
    { default: 300, min: 5, max: 86_400 },
    'Seconds that a worker may hold claimed events; at least 1 s longer than the `timeoutSeconds` of every route.',
  ),
  MAX_LOST: numberVariable(
    { default: 5, min: 1, max: 1000 },
    'Consecutive attempts that ended with their worker, after which an event becomes FAILED_PERMANENTLY.',
  ),
  REPEAT_SECONDS: numberVariable(
    { default: 600, min: 0, max: 86_400 },
    'Seconds within which an equal capture that names neither delivery nor time is a repetition, not a new failure.',
  ),
});

type RetryEnvironment = Texts<typeof RetrySchema.entries>;

export type RetryConfig = Omit<Settings<typeof RetrySchema.entries>, 'retryEnabled' | 'maxEventsPerTick'> & {
  readonly enabled: boolean;
  /** Null: no limit. */
  readonly maxEventsPerTick: number | null;
};

/** Reads the settings of the delivery engine. */
export function readRetry(env: RetryEnvironment): Checked<RetryConfig> {
  const checked = readSettings(RetrySchema, env);
  if (!checked.ok) return checked;
  const { retryEnabled: enabled, ...settings } = checked.value;
  // More workers need a topic on which they are requested.
  const workers = settings.continueTopic === undefined ? 1 : settings.workers;
  const maxEventsPerTick = settings.maxEventsPerTick || null;
  return { ok: true, value: { ...settings, enabled, workers, maxEventsPerTick } };
}

/** Reads the lease time alone, or returns undefined if it is invalid, regardless of other problems. */
export function readLeaseSeconds(env: RetryEnvironment): number | undefined {
  const checked = check(v.pick(RetrySchema, ['LEASE_SECONDS']), env);
  return checked.ok ? checked.value.LEASE_SECONDS : undefined;
}
