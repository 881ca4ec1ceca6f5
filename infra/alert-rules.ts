import type * as pulumi from '@pulumi/pulumi';
import type { Alert } from '../shared/metrics/metric.ts';
import { listedMetrics, type MetricName } from '../shared/metrics/metrics.ts';
import { budgetConnections } from './connection-budget.ts';
import { findLongestInterval } from './cron.ts';
import { databaseNameOf } from './database.ts';
import type { Settings } from './settings.ts';

export function alertRules(watched: Watched): readonly AlertRule[] {
  return [...ruleMetrics(watched), ...ruleTicks(watched), ...ruleWork(watched), ...ruleDatabase(watched)];
}

/** The alerts of shared/metrics/metrics.ts, with the limits of the settings. */
function ruleMetrics({ settings }: Watched): AlertRule[] {
  const limits: Readonly<Record<string, unknown>> = settings;
  return listedMetrics.flatMap(([name, { alert }]) => {
    if (!alert) return [];
    const { above, atLeast, title, ...rule } = alert;
    const given = typeof above === 'number' ? above : Number(limits[above.setting]);
    if (atLeast && given === 0) return [];
    const limit = given * (typeof above === 'number' ? 1 : (above.factor ?? 1));
    // The latest value is a mean of 15 minutes, which rises to the count.
    const query = `${latest(settings.name, name)} > ${atLeast ? limit - 0.5 : limit}`;
    return [{ ...rule, title: title.replace('{limit}', String(given)), query }];
  });
}

function ruleTicks({ settings: { name, schedule, paused } }: Watched): AlertRule[] {
  if (paused) return [];
  const hours = Math.ceil(findLongestInterval(schedule) / hour) + 1;
  return [
    {
      id: 'no-tick',
      title: `no tick succeeded for ${hours} h`,
      query: `${latest(name, 'last_tick_age_seconds')} > ${hours * hour}`,
      severity: 'CRITICAL',
      meaning: 'No event is retried: calls of the schedule are rejected, or retry fails.',
    },
  ];
}

function ruleWork({ settings: { name }, subscriptions, deadLetterSubscriptions }: Watched): AlertRule[] {
  const among = (names: readonly string[]) => `subscription_id=~"${names.join('|')}"`;
  const oldest = 'pubsub.googleapis.com/subscription/oldest_unacked_message_age';
  const waiting = 'pubsub.googleapis.com/subscription/num_undelivered_messages';
  const captures = (labels = '') =>
    measured(
      'run.googleapis.com/request_count',
      'cloud_run_revision',
      `service_name=~"${name}-(signed-)?capture"${labels}`,
    );
  const ratio = (window: string) =>
    `sum(rate(${captures(', response_code_class="5xx"')}[${window}])) / sum(rate(${captures()}[${window}]))`;
  // An hour at 14 times the share of errors of an objective of 99.9 % spends 2 % of the budget of 28 days.
  const limit = 0.014;
  return [
    {
      id: 'no-metrics',
      title: 'no metrics for an hour',
      query: `(sum(increase(${toPromQl(`logging.googleapis.com/user/${name}/metrics`)}{${run}}[30m])) or vector(0)) < 0.5`,
      forSeconds: 30 * minute,
      severity: 'ERROR',
      meaning: 'maintain logs no metrics, so alerts on them cannot fire.',
    },
    {
      id: 'capture-errors',
      title: 'more than 1.4 % of captures fail',
      query: `${ratio('1h')} > ${limit} and ${ratio('5m')} > ${limit}`,
      forSeconds: 2 * minute,
      severity: 'CRITICAL',
      meaning: 'Captures are answered with 5xx, which spend the error budget of 28 days, 0.1 %, in two days.',
    },
    {
      id: 'push-backlog',
      title: 'captures wait in Pub/Sub',
      query:
        `max(${measured(oldest, 'pubsub_subscription', among(subscriptions))}) > ${15 * minute} or ` +
        `sum(${measured(waiting, 'pubsub_subscription', among(deadLetterSubscriptions))}) > 0`,
      forSeconds: 5 * minute,
      severity: 'ERROR',
      meaning: 'A function rejects messages of Pub/Sub, or rejected one 100 times. They stay for 31 days.',
    },
  ];
}

/** The alerts on the instance of the database, if that is on Cloud SQL. */
function ruleDatabase({ instance, settings }: Watched): AlertRule[] {
  if (!instance) return [];
  const { plannable } = budgetConnections(settings);
  // Others have connections of their own to a shared instance: its limit is not the budget of the deployment.
  const backends = ofInstance(
    'postgresql/num_backends',
    settings.existingInstance ? `, database="${databaseNameOf(settings)}"` : '',
  );
  return [
    {
      id: 'database-down',
      title: 'the database is down',
      query: `(max(${ofInstance('up')}) or vector(0)) < 1`,
      severity: 'CRITICAL',
      meaning: 'Its instance is stopped, or suspended as while its key is disabled: nothing is captured.',
    },
    {
      id: 'database-disk',
      title: 'the disk of the database is 85 % full',
      query: `max(${ofInstance('disk/utilization')}) > 0.85`,
      severity: 'CRITICAL',
      meaning: 'The disk grows automatically, but too slowly, or it has reached its limit.',
    },
    {
      id: 'database-connections',
      title: `more than ${plannable} connections are open`,
      query: `sum(${backends}) > ${plannable}`,
      forSeconds: 10 * minute,
      meaning: 'Others than the functions hold connections: PostgreSQL will soon refuse new ones.',
    },
  ];
}

/** Converts the name of a metric: the first slash becomes a colon, other special characters underscores. */
function toPromQl(metric: string): string {
  return metric.replace('/', ':').replaceAll(/[^a-zA-Z0-9_:]/g, '_');
}

const run = 'monitored_resource="cloud_run_revision"';

/** Returns a query for the latest value of a metric: the mean of 15 minutes, with 3 reports. */
export function latest(name: string, metricName: MetricName): string {
  const metric = toPromQl(`logging.googleapis.com/user/${name}/${metricName}`);
  const over = (suffix: string) => `sum(increase(${metric}_${suffix}{${run}}[15m]))`;
  return `${over('sum')} / ${over('count')}`;
}

/** Returns a selector for a metric of Google Cloud, limited to one resource type. */
export function measured(metric: string, resource: string, labels: string): string {
  return `${toPromQl(metric)}{monitored_resource="${resource}", ${labels}}`;
}

/** The resources and settings that alerts and dashboard watch. */
export type Watched = {
  readonly settings: Settings;
  /** The push subscriptions, and the subscriptions that keep their dead letters. */
  readonly subscriptions: readonly string[];
  readonly deadLetterSubscriptions: readonly string[];
  /** `project:instance`; undefined if it is not on Cloud SQL, or its metrics are in another project. */
  readonly instance: pulumi.Output<string> | undefined;
};

export type AlertRule = Omit<Alert, 'above' | 'atLeast'> & { readonly query: string };

export const minute = 60;
const hour = 3600;

/** A selector of a metric of the instance, which has a name once it exists: until then a placeholder. */
const instanceLabel = 'database_id="$INSTANCE"';

/** Returns a selector for a metric of the database instance. */
export function ofInstance(metric: string, labels = ''): string {
  return measured(`cloudsql.googleapis.com/database/${metric}`, 'cloudsql_database', instanceLabel + labels);
}

/** Puts the name of the instance into a text with such selectors. */
export function nameInstance(text: string, { instance }: Watched): pulumi.Input<string> {
  if (!instance || !text.includes('$INSTANCE')) return text;
  return instance.apply((id) => text.replaceAll('$INSTANCE', id));
}

/** The log-based metrics, in a log line of maintain: those of metrics.ts with a chart or an alert. */
export const logMetrics = listedMetrics.flatMap(([name, { help, chart, alert }]) => {
  const title = `${help.charAt(0).toUpperCase()}${help.slice(1)}`;
  const unit = name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '1';
  return chart || alert ? [{ name, title, unit }] : [];
});
