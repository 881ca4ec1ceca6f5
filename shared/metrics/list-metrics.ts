import type { Sample } from './measure.ts';
import { type MetricName, metrics } from './metrics.ts';

/**
 * Returns the metrics without labels as numbers by name, for the log line from which log-based metrics are
 * extracted. Values that are unknown are missing.
 */
export function listMetrics(samples: readonly Sample[]): Partial<Record<MetricName, number>> {
  const flat = samples.filter(({ name }) => !('by' in metrics[name]));
  return Object.fromEntries(flat.map(({ name, value }) => [name, Math.round(value * 1000) / 1000]));
}
