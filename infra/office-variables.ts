import type { OfficeVariable } from './function-plan.ts';
import { tickSeconds } from './function-plan.ts';
import { toAddress } from './members.ts';
import type { Settings } from './settings.ts';

/** A tick stops claiming so long before it would be given up, or a lease, for what it has begun to be finished and settled. */
const finishSeconds = 300;

export const secretVariables = ['ROUTES', 'CAPTURE_SECRETS'] as const;
export type SecretVariable = (typeof secretVariables)[number];

/** What the settings are called where functions read them; what follows from where they run is not among them. */
export function toVariables(
  settings: Settings,
): Readonly<Record<Exclude<OfficeVariable, 'CONTINUE_TOPIC' | 'CLOUD_RUN_IAM'>, string>> {
  return {
    ROUTES: JSON.stringify(settings.routes),
    CAPTURE_SECRETS: settings.captureSecrets,
    BATCH_SIZE: String(settings.batchSize),
    MAX_RETRIES: String(settings.maxRetries),
    MAX_RETURNS: String(settings.maxReturns),
    MAX_EVENTS_PER_TICK: String(settings.maxEventsPerTick),
    TICK_BUDGET_SECONDS: String(tickSeconds - Math.max(finishSeconds, settings.leaseSeconds)),
    LEASE_SECONDS: String(settings.leaseSeconds),
    WORKERS: String(settings.workers),
    ARCHIVE_AFTER_DAYS: String(settings.archiveAfterDays),
    SOURCE_RETENTION_DAYS: String(settings.sourceRetentionDays),
    RETAIN_MONTHS: String(settings.retainMonths),
    EXPORT_BUCKET: settings.exportBucket,
    OPEN_WARN_DAYS: String(settings.openWarnDays),
    FILTER_COST_LIMIT: String(settings.filterCostLimit),
    NOTIFY: String(settings.notify),
    CONSOLE_OPERATORS: settings.operators.map(toAddress).join(','),
    CONSOLE_VIEWERS: settings.viewers.map(toAddress).join(','),
  };
}
