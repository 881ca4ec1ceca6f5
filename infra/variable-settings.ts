import type { VariableName } from '../shared/config/environment.ts';

/** Maximum duration of a tick, in seconds: Cloud Scheduler waits no longer for an answer. */
export const tickSeconds = 1800;

/** Stack settings whose value becomes that of one environment variable. */
export const variableOf = {
  batchSize: 'BATCH_SIZE',
  maxRetries: 'MAX_RETRIES',
  maxLost: 'MAX_LOST',
  repeatSeconds: 'REPEAT_SECONDS',
  maxEventsPerTick: 'MAX_EVENTS_PER_TICK',
  leaseSeconds: 'LEASE_SECONDS',
  workers: 'WORKERS',
  archiveAfterDays: 'ARCHIVE_AFTER_DAYS',
  archiveUndecidedAfterDays: 'ARCHIVE_UNDECIDED_AFTER_DAYS',
  sourceRetentionDays: 'SOURCE_RETENTION_DAYS',
  retainMonths: 'RETAIN_MONTHS',
  exportBucket: 'EXPORT_BUCKET',
  openWarnDays: 'OPEN_WARN_DAYS',
  groupRules: 'GROUP_RULES',
  filterCostLimit: 'FILTER_COST_LIMIT',
  environmentName: 'ENVIRONMENT_NAME',
  notify: 'NOTIFY',
  routes: 'ROUTES',
  masks: 'MASKS',
  sources: 'SOURCES',
  operators: 'CONSOLE_OPERATORS',
  viewers: 'CONSOLE_VIEWERS',
  captureSecrets: 'CAPTURE_SECRETS',
  maxBodyBytes: 'MAX_BODY_BYTES',
} as const satisfies Record<string, VariableName>;

/** Settings that differ on purpose from the definition of their variable, each with the reason. */
export const overrides = {
  workers: {
    fallback: 2,
    reason:
      'Each worker is an instance with 2 connections, and the smallest database leaves 20 for all functions.',
  },
  retainMonths: {
    fallback: 24,
    reason: 'The archive of a deployment would otherwise grow without a limit.',
  },
  leaseSeconds: {
    max: tickSeconds / 2,
    reason: `A tick lasts at most ${tickSeconds} s and must settle the events that it has claimed.`,
  },
} as const;
