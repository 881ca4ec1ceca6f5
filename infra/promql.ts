import type * as pulumi from '@pulumi/pulumi';
import type { Alert } from '../shared/metrics/metric.ts';
import { listedMetrics, type MetricName } from '../shared/metrics/metrics.ts';
import type { Settings } from './settings.ts';

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

/** Returns a query for the number of log lines within `window`; 0 if there are none. */
export function counted(name: string, what: string, window: string): string {
  const metric = toPromQl(`logging.googleapis.com/user/${name}/${what}`);
  return `(sum(increase(${metric}{${run}}[${window}])) or vector(0))`;
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
export const hour = 3600;

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
