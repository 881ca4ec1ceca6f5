import type { MetricName } from '../shared/metrics/metrics.ts';

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
