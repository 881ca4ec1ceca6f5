import { webhookFormats } from '../../message/formats/webhooks.ts';
import { compileFormat, matches, readTextFact } from '../formats/compile-format.ts';
import type { Opened } from '../message.ts';

type Headers = Readonly<Record<string, string>>;

const webhooks = webhookFormats.map(compileFormat);
const documented = webhooks.filter(({ needsJson }) => !needsJson);

/** A request without its body. */
function openHeaders(headers: Headers): Opened {
  const message = { body: Buffer.alloc(0), json: undefined, contentType: null, headers, facts: {} };
  return { message, named: { get: (name) => headers[name], size: 1 } };
}

/** The webhook whose documented headers a request has, all of them. */
export function recognizeWebhook(headers: Headers) {
  const opened = openHeaders(headers);
  return documented.find((each) => matches(each, opened));
}

/**
 * The id that a service gave to a delivery of its webhook, or null: it repeats the delivery with the same id.
 * By these headers a request is known even if no signature covers them.
 */
export function findWebhookDelivery(headers: Headers): string | null {
  const webhook = recognizeWebhook(headers);
  const id = webhook ? readTextFact(webhook, 'id', openHeaders(headers)) : null;
  return webhook && id !== null ? `${webhook.format.name}:${id}` : null;
}

/** Formats whose first line says that all lines are one message. */
export const ofWholeLines = webhooks.filter(({ format, needsJson }) => format.split === false && needsJson);

/** The headers by which services name one message. */
export const webhookIds: ReadonlySet<string> = new Set(
  webhooks.flatMap(({ facts }) =>
    (facts.get('id') ?? []).flat().flatMap(({ at }) => (at.startsWith('header:') ? [at.slice(7)] : [])),
  ),
);
