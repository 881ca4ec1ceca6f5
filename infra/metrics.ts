import { listedMetrics, type MetricName } from '../shared/metrics/metrics.ts';

/** A number in a log line of maintain, under `jsonPayload`, from which Cloud Monitoring makes a metric. */
export type LogMetric = {
  readonly name: MetricName;
  readonly title: string;
  readonly unit: '1' | 's' | 'By';
};

/** The log-based metrics: those of shared/metrics/metrics.ts that have a chart or an alert. */
export const logMetrics: readonly LogMetric[] = listedMetrics.flatMap(([name, { help, chart, alert }]) =>
  chart || alert ? [{ name, title: capitalize(help), unit: unitOf(name) }] : [],
);

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function unitOf(name: string): LogMetric['unit'] {
  return name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '1';
}

/** The `action` of the log line with the metrics. */
export const metricsAction = 'metrics';

/** The `action` of the log line that ends a tick, and its `stopped` if another tick was running. */
export const tickAction = 'tick';
export const stoppedForAnother = 'another tick is running';
