import { listedMetrics } from '../shared/metrics/metrics.ts';

/**
 * The log-based metrics: numbers in a log line of maintain, under `jsonPayload`. Those of
 * shared/metrics/metrics.ts that have a chart or an alert.
 */
export const logMetrics = listedMetrics.flatMap(([name, { help, chart, alert }]) => {
  const title = `${help.charAt(0).toUpperCase()}${help.slice(1)}`;
  const unit = name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '1';
  return chart || alert ? [{ name, title, unit }] : [];
});
