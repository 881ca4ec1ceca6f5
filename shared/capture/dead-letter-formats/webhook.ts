import type { DeadLetterFormat } from '../message.ts';
import { type Preset, recognize } from '../sources/presets.ts';
import { readPlaces } from '../sources/read-places.ts';
import { describeWebhook } from '../webhook.ts';

/** Reads a delivery of a webhook by the preset of its service, if the message has the headers that identify it. */
export function readWebhookOf(preset: Preset): DeadLetterFormat {
  return (message) => {
    if (recognize(message.headers) !== preset) return undefined;
    const id = readPlaces(preset.id, message);
    if (id === null) return undefined;
    const type = readPlaces(preset.type, message, '.');
    return describeWebhook(message, {
      kind: preset.name,
      id,
      type,
      key: readPlaces(preset.key, message),
      occurredAt: null,
    });
  };
}

/**
 * The id that a service gave to a delivery of its webhook, or null: it repeats the delivery with the same id. By these
 * headers a request is known even if no signature covers them.
 */
export function findWebhookDelivery(headers: Readonly<Record<string, string>>): string | null {
  const preset = recognize(headers);
  const id = readPlaces(
    preset?.id?.filter((place) => place.startsWith('header:')),
    { headers, json: undefined },
  );
  return preset && id !== null ? `${preset.name}:${id}` : null;
}
