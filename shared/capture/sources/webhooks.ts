import { webhookFormats } from '../../message/formats/webhooks.ts';
import { type CompiledFormat, compileFormat, matches, readTextFact } from '../formats/compile-format.ts';
import { openRequest } from '../formats/read-transport.ts';
import type { ParsedInbound } from '../message.ts';

const webhooks = webhookFormats.map(compileFormat);
const readsJson = ({ checks }: CompiledFormat) =>
  checks.some(([places]) => places.some(({ at }) => at.startsWith('json:')));
const documented = webhooks.filter((each) => !readsJson(each));

/**
 * By all headers that a service documents, even if no signature covers them; and the id of the delivery,
 * which its service repeats.
 */
export function recognizeWebhook(request: ParsedInbound) {
  const opened = openRequest({ ...request, headers: { ...request.unsignedHeaders, ...request.headers } });
  const webhook = documented.find((each) => matches(each, opened));
  const id = webhook ? readTextFact(webhook, 'id', opened) : null;
  return { split: webhook?.format.split, delivery: id === null ? null : `${webhook?.format.name}:${id}` };
}

/** Formats whose first line says that all lines are one message. */
export const ofWholeLines = webhooks.filter((each) => each.format.split === false && readsJson(each));

/** The headers by which services name one message. */
export const webhookIds: ReadonlySet<string> = new Set(
  webhooks.flatMap(({ facts }) =>
    (facts.get('id') ?? []).flat().flatMap(({ at }) => (at.startsWith('header:') ? [at.slice(7)] : [])),
  ),
);
