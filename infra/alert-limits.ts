import { listedMetrics, type MetricName, type metrics } from '../shared/metrics/metrics.ts';

type LimitOf<Each> = Each extends {
  alert: { above: { setting: infer Name extends string; default: number } };
}
  ? Name
  : never;

/** The settings of the stack that only the alert of a metric reads. */
export type LimitName = LimitOf<(typeof metrics)[MetricName]>;

/** Their ranges, defaults and descriptions. */
export const limits = listedMetrics.flatMap(([, { alert }]) => {
  if (typeof alert?.above !== 'object') return [];
  const { title, atLeast } = alert;
  const { setting, default: fallback, max } = alert.above;
  if (fallback === undefined || max === undefined) return [];
  const clause = title.replace('{limit}', 'this many');
  const description = `Alert if ${clause}${atLeast ? '; 0: no alert' : ''}.`;
  return [{ setting, default: fallback, max, min: atLeast ? 0 : 1, description }];
});
