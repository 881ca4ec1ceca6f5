import type { Fact, Format } from '../../message/formats/format.ts';
import { webhookFormats } from '../../message/formats/webhooks.ts';
import { readPlaces } from './read-places.ts';

/** The formats of webhooks, as the fields of a source. */
export const presets = webhookFormats.map(({ name, facts = {}, split, when = {} }) => ({
  name,
  ...listPlaces(facts),
  ...(split !== undefined && { split }),
  /** Documented headers, all of which its requests have. None: it is recognized by something else. */
  headers: Object.keys(when).flatMap((place) => (place.startsWith('header:') ? [place.slice(7)] : [])),
}));

function listPlaces(facts: NonNullable<Format['facts']>): Partial<Record<Fact, string[]>> {
  return Object.fromEntries(Object.entries(facts).map(([fact, places]) => [fact, [places ?? []].flat()]));
}

type Headers = Readonly<Record<string, string>>;

/** The preset whose headers a request has. */
export function recognize(headers: Headers) {
  return presets.find(({ headers: names }) => names.length > 0 && names.every((name) => headers[name]));
}

/**
 * The id that a service gave to a delivery of its webhook, or null: it repeats the delivery with the same id.
 * By these headers a request is known even if no signature covers them.
 */
export function findWebhookDelivery(headers: Headers): string | null {
  const preset = recognize(headers);
  const id = readPlaces(preset?.id, { headers });
  return preset && id !== null ? `${preset.name}:${id}` : null;
}
