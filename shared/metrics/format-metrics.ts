import { hash } from 'node:crypto';
import type { Sample } from './measure.ts';
import { listedMetrics, type MetricName, metrics } from './metrics.ts';

/**
 * Formats samples in the text format of Prometheus, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 */
export function formatMetrics(samples: readonly Sample[]): string {
  const byName = Map.groupBy(samples, ({ name }) => name);
  return listedMetrics.map(([name, { help }]) => formatFamily(name, help, byName.get(name) ?? [])).join('');
}

/** The name of a counter ends in `_total`, as Prometheus recommends. */
function formatFamily(name: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const type = name.endsWith('_total') || name === 'total' ? 'counter' : 'gauge';
  const lines = samples.map(({ labels, value }) => `dead_letter_${name}${formatLabels(labels)} ${value}\n`);
  return `# HELP dead_letter_${name} ${help}\n# TYPE dead_letter_${name} ${type}\n${lines.join('')}`;
}

function formatLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** An event type may have any length and any characters. Two that begin alike keep labels of their own. */
function escapeLabel(value: string): string {
  const end = value.length > 200 ? `~${hash('md5', value)}` : '';
  const label = value.slice(0, 200).toWellFormed() + end;
  return label.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}

/** Returns metrics without labels, for the log line of log-based metrics; unknown values are missing. */
export function listMetrics(samples: readonly Sample[]): Partial<Record<MetricName, number>> {
  const flat = samples.filter(({ name }) => !('by' in metrics[name]));
  return Object.fromEntries(flat.map(({ name, value }) => [name, Math.round(value * 1000) / 1000]));
}
