import { toDate, toDateFromMillis, toDateFromSeconds, toText } from '../column-values.ts';
import { readHeaderFacts } from '../header-facts.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders } from '../message-headers.ts';

/**
 * A message of Pulsar's HTTP sink, which sends properties as headers.
 * https://pulsar.apache.org/docs/io-http-sink
 */
export function readPulsarMessage(request: ParsedInbound): Message[] | undefined {
  const { headers } = request;
  const { pulsartopic: topic, pulsarmessageid: id } = headers;
  if (!topic) return undefined;
  const prefix = 'pulsarproperties-';
  const own = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  const message = readMessage(request, {
    headers: Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])),
    ...(id && { eventKey: `pulsar:${topic}/${id}` }),
  });
  const { facts } = message;
  const times = [headers.pulsareventtime, headers.pulsarpublishtime].map(toDateFromMillis);
  return [
    {
      ...message,
      facts: {
        ...facts,
        deliveryId: toText(id),
        topicType: topic,
        sourceKind: 'pulsar',
        sourceTopic: topic,
        sourceKey: toText(headers.pulsarkey),
        occurredAt: times.find((time) => time !== null) ?? null,
      },
    },
  ];
}

/**
 * A task of Cloud Tasks. Its retry count is no fact: it counts requests to capture.
 * https://cloud.google.com/tasks/docs/creating-http-target-tasks#handler
 */
export function readCloudTask(request: ParsedInbound): Message[] | undefined {
  const header = (name: string) => toText(request.headers[`x-cloudtasks-${name}`]);
  const [queue, task, eta] = [header('queuename'), header('taskname'), header('tasketa')];
  if (queue === null || task === null) return undefined;
  const message = readMessage(request, {
    headers: readMessageHeaders(request.headers),
    eventKey: `cloudtasks:${queue}/${task}`,
  });
  const occurredAt = toDateFromSeconds(eta) ?? toDate(eta);
  const facts = { deliveryId: task, sourceKind: 'cloud-tasks', sourceTopic: queue, occurredAt };
  return [{ ...message, facts: { ...message.facts, ...facts } }];
}

type Delivered = { readonly headers: Readonly<Record<string, string>>; readonly eventKey?: string };

/** The body as the message. An id of the application comes before that of the queue. */
function readMessage({ body, json, headers: sent }: ParsedInbound, { headers, ...key }: Delivered) {
  const facts = { ...key, ...readHeaderFacts(headers, sent.traceparent) };
  return { body, json, contentType: toText(sent['content-type']), headers, facts };
}
