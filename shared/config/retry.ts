import type { FunctionName, SettingsOf, Texts } from './setting.ts';
import { defineFlag, defineNumber, defineText, readSettings } from './setting.ts';
import type { Checked } from './validate.ts';

const delivery = { readBy: ['retry'] } as const;

/** The settings of the delivery engine, for scheduled ticks and replays. */
export const retrySettings = {
  RETRY_ENABLED: defineFlag(
    {
      as: 'enabled',
      default: true,
      readBy: ['retry', 'replay', 'console'],
      stack: { unset: 'The setting `paused` stops the schedule.' },
    },
    'Enables retries; with `false` every tick ends without claiming an event. Replays go on.',
  ),
  BATCH_SIZE: defineNumber(
    { ...delivery, default: 500, min: 1, max: 1000 },
    'Maximum events in one claim: a worker claims what it delivered in the last 250 ms, and at least 50.',
  ),
  MAX_RETRIES: defineNumber(
    { default: 240, min: 0, max: 10_000, readBy: ['retry', 'replay', 'console'] },
    'Failed retries after which an event becomes FAILED_PERMANENTLY; a route or an event can override it.',
  ),
  TICK_BUDGET_SECONDS: defineNumber(
    { ...delivery, default: 1500, min: 1, max: 3600, stack: 'derived' },
    'Seconds after which a worker claims no further batch; a requested one after at most 480.',
  ),
  CONTINUE_TOPIC: defineText(
    {
      allowed: '`projects/PROJECT/topics/TOPIC`',
      form: [
        /^(projects\/[^/]+\/topics\/[^/]+|http:\/\/127\.0\.0\.1:\d+\/\S*)$/,
        'Must look like projects/PROJECT/topics/TOPIC.',
      ],
      readBy: ['retry', 'replay', 'console', 'maintain'],
      stack: 'derived',
    },
    'Pub/Sub topic on which a run requests more workers; without it a run has one worker. `npm start` sets the address of its own function `retry`.',
  ),
  WORKERS: defineNumber(
    {
      ...delivery,
      default: 4,
      min: 1,
      max: 100,
      stack: {
        default: 2,
        reason:
          'Each worker is an instance with 2 connections, and the smallest database leaves 20 for all functions.',
      },
    },
    'Maximum concurrent workers of one run.',
  ),
  MAX_EVENTS_PER_TICK: defineNumber(
    { default: 0, min: 0, max: 1_000_000_000, readBy: ['retry', 'replay', 'console'] },
    'Maximum events that one tick claims; 0: no limit.',
  ),
  LEASE_SECONDS: defineNumber(
    {
      default: 300,
      min: 5,
      max: 86_400,
      readBy: ['retry', 'replay', 'console', 'maintain'],
      stack: { max: 900, reason: 'A tick lasts at most 1800 s and must settle what it has claimed.' },
    },
    'Seconds that a worker may hold claimed events; at least 1 s longer than the `timeoutSeconds` of every route.',
  ),
  MAX_LOST: defineNumber(
    { ...delivery, default: 5, min: 1, max: 1000 },
    'Consecutive attempts that ended with their worker, after which an event becomes FAILED_PERMANENTLY.',
  ),
  REPEAT_SECONDS: defineNumber(
    { default: 600, min: 0, max: 86_400, readBy: ['capture', 'replay'] },
    'Seconds within which an equal capture that names neither delivery nor time is a repetition, not a new failure.',
  ),
};

/** The settings that every function of `Reader` reads. */
export type RetryConfig<Reader extends FunctionName = never> = SettingsOf<Reader, typeof retrySettings>;

/** Reads the settings of the delivery engine. */
export function readRetry(env: Texts<typeof retrySettings>): Checked<RetryConfig> {
  const checked = readSettings(retrySettings, env);
  if (!checked.ok) return checked;
  const { workers, continueTopic } = checked.value;
  // More workers need a topic on which they are requested.
  return { ok: true, value: { ...checked.value, workers: continueTopic === undefined ? 1 : workers } };
}
