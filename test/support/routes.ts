import * as v from 'valibot';
import { type RetryConfig, readRetry } from '../../shared/config/retry.ts';
import { unwrap } from '../../shared/config/validate.ts';
import { type Route, RoutesSchema } from '../../shared/delivery/routes.ts';
import type { HttpTarget } from '../../shared/delivery/targets/http-target.ts';

/**
 * A route as configuration would give it, with every default filled in; without a match it takes everything.
 */
export function aRoute(route: v.InferInput<typeof RoutesSchema>[number]): Route {
  return v.parse(RoutesSchema, [route])[0] as Route;
}

type HttpRoute = Omit<v.InferInput<typeof RoutesSchema>[number], 'target'> & Partial<HttpTarget>;

/** A route to an HTTP target. */
export function aRouteTo(url: string, { headers, audience, ...route }: HttpRoute = {}): Route {
  const more = { ...(headers && { headers }), ...(audience && { audience }) };
  return aRoute({ ...route, target: { kind: 'http', url, ...more } });
}

/** Settings of retries, with anything overridden. */
export function retryConfig(settings: Partial<RetryConfig> = {}): RetryConfig {
  return {
    ...unwrap(readRetry({})),
    tickBudgetSeconds: 25,
    leaseSeconds: 60,
    maxLost: 3,
    ...settings,
  };
}
