import * as v from 'valibot';
import { readJsonList } from '../config/json-list.ts';
import { commaList, defineSetting, defineText, type Texts } from '../config/setting.ts';
import type { Checked } from '../config/validate.ts';
import { MaskSchema, type Route, RoutesSchema } from '../delivery/routes.ts';
import type { Problem } from '../errors.ts';

const list = { secret: 'parts', readBy: ['retry', 'replay', 'console', 'maintain'] } as const;

export const routeSettings = {
  ROUTES: defineText(
    { ...list, allowed: 'JSON list' },
    'Routes (docs/policies.md); an event that no route matches stays PENDING.',
  ),
  ROUTES_FILE: defineText(
    { ...list, allowed: 'path', stack: { unset: 'ROUTES is a secret.' } },
    'JSON file with the routes, in place of ROUTES.',
  ),
  MASKS: defineSetting(
    {
      allowed: 'paths such as `$.customer.email` or `headers.x-user`, separated by commas',
      schema: v.pipe(commaList, MaskSchema),
      readBy: ['replay', 'console'],
    },
    'Fields that console and API hide in all events, beside those that routes mask.',
  ),
};

type RoutesEnvironment = Texts<typeof routeSettings>;

/** Reads the routes from ROUTES or from the file that ROUTES_FILE names; none if both are unset. */
export function readRoutes(env: RoutesEnvironment): Checked<readonly Route[]> {
  return readJsonList(RoutesSchema, env, { name: 'ROUTES', what: 'routes' });
}

/** Finds routes whose delivery may outlast the lease, so that another worker delivers the same event. */
export function findShortLeases(
  env: RoutesEnvironment,
  routes: readonly Route[],
  leaseSeconds: number,
): Problem[] {
  const name = env.ROUTES_FILE ? 'ROUTES_FILE' : 'ROUTES';
  const remedy = `Must be a second shorter than LEASE_SECONDS (${leaseSeconds}): lower it, or raise LEASE_SECONDS.`;
  return routes.flatMap(({ policy: { timeoutSeconds: value } }, index) =>
    value <= leaseSeconds - 1 ? [] : [{ field: `${name}[${index}].policy.timeoutSeconds`, value, remedy }],
  );
}
