import { log } from '../../../shared/log.ts';
import { answerError, type Endpoint } from '../../endpoint.ts';
import type { MaintainDeps } from '../maintain-deps.ts';
import { takeStock } from '../take-stock.ts';
import { formatMetrics } from './format-metrics.ts';
import { listFigures } from './list-figures.ts';
import { type Measurement, measure } from './measure.ts';

/**
 * `GET /metrics`: how the office is, as Prometheus reads it, and as one line in the log, so that alerts need no scraper:
 * a schedule that calls it every few minutes is enough.
 */
export function metrics(deps: MaintainDeps): Endpoint {
  return async (_request, response) => {
    try {
      const measured = await report(deps);
      response.status(200).type('text/plain; version=0.0.4; charset=utf-8').send(formatMetrics(measured));
    } catch (error) {
      answerError(response, error);
    }
  };
}

/** Measures and says so in the log. */
export async function report({ db, routes }: MaintainDeps): Promise<Measurement> {
  await takeStock(db);
  const measured = await measure(db, routes);
  const figures = listFigures(measured);
  log('INFO', describe(figures), { act: 'metrics', ...figures });
  return measured;
}

function describe(figures: Record<string, number>): string {
  const { depth_pending, depth_failed_permanently, captured_24h, delivered_24h } = figures;
  return (
    `${depth_pending} pending, ${depth_failed_permanently} failed permanently; ` +
    `in 24 hours ${captured_24h} captured, ${delivered_24h} delivered`
  );
}
