import { type Database, within } from '../../shared/database/database.ts';
import { workerDeadlineMs } from '../../shared/delivery/delivery-deps.ts';
import type { Route } from '../../shared/delivery/routes.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { log } from '../../shared/log.ts';
import { formatMetrics, listMetrics } from '../../shared/metrics/format-metrics.ts';
import { measure, type Sample } from '../../shared/metrics/measure.ts';
import { answer, answerError, type Endpoint } from '../endpoint.ts';

/** Dependencies of the metrics. */
export type MetricsDeps = { readonly db: Database; readonly routes: readonly Route[] };

/**
 * `GET /metrics`: the metrics in the text format of Prometheus, and as one line in the log: alerts on
 * log-based metrics need a schedule that calls it every few minutes, and no scraper.
 */
export function metrics(deps: MetricsDeps): Endpoint {
  const type = 'text/plain; version=0.0.4';
  return (_request, response) =>
    report(deps)
      .then((samples) => answer(response, { status: 200, type, text: formatMetrics(samples) }))
      .catch((error: unknown) => answerError(response, error));
}

/** Refreshes counts for seconds, since a scrape waits ten, measures, and logs the metrics as one line. */
export async function report({ routes, ...deps }: MetricsDeps): Promise<readonly Sample[]> {
  const db = within(deps.db, workerDeadlineMs);
  await refresh(db, 2000);
  const samples = await measure(db, routes);
  const metrics = listMetrics(samples);
  const { depth_pending, depth_failed_permanently, captured_24h, delivered_24h } = metrics;
  const message =
    `${depth_pending} pending, ${depth_failed_permanently} failed permanently; ` +
    `in 24 clock hours ${captured_24h} captured, ${delivered_24h} delivered`;
  const inflowType = samples.find(({ name }) => name === 'inflow_ratio')?.labels.event_type;
  log('INFO', message, { action: 'metrics', ...metrics, inflow_type: inflowType });
  return samples;
}
