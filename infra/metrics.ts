import { listedMetrics } from '../shared/metrics/metrics.ts';

/** The log-based metrics, in a log line of maintain: those of metrics.ts with a chart or an alert. */
export const logMetrics = listedMetrics.flatMap(([name, { help, chart, alert }]) => {
  const title = `${help.charAt(0).toUpperCase()}${help.slice(1)}`;
  const unit = name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '1';
  return chart || alert ? [{ name, title, unit }] : [];
});
