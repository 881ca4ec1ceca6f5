import * as v from 'valibot';
import { readJsonList } from '../config/json-list.ts';
import { retrySettings } from '../config/retry.ts';
import { commaList, defineSetting, defineText, type Texts } from '../config/setting.ts';
import { type Checked, check } from '../config/validate.ts';
import { MaskSchema, type Route, RoutesSchema } from '../delivery/routes.ts';

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

/** Rejects routes whose delivery may outlast the lease, so that another worker delivers the same event. */
export function checkLeases(
  env: RoutesEnvironment & Pick<Texts<typeof retrySettings>, 'LEASE_SECONDS'>,
  routes: Checked<readonly Route[]>,
): Checked<unknown> {
  const lease = check(retrySettings.LEASE_SECONDS.schema, env.LEASE_SECONDS);
  if (!routes.ok || !lease.ok) return { ok: true, value: undefined };
  const name = env.ROUTES_FILE ? 'ROUTES_FILE' : 'ROUTES';
  const remedy = `Must be a second shorter than LEASE_SECONDS (${lease.value}): lower it, or raise LEASE_SECONDS.`;
  const problems = routes.value.flatMap(({ policy: { timeoutSeconds: value } }, index) =>
    value <= lease.value - 1 ? [] : [{ field: `${name}[${index}].policy.timeoutSeconds`, value, remedy }],
  );
  return problems.length > 0 ? { ok: false, problems } : routes;
}
