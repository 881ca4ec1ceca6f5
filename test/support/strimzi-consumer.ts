import { before } from 'node:test';
import { useServer } from './server.ts';

export type StrimziConsumer = {
  readonly url: string;
  /** The records of the topic, all of them the answer of one poll. */
  readonly records: object[];
  /** How many records are committed. */
  committed: number;
};

/**
 * Plays the consumer API of Strimzi's bridge: create a consumer, subscribe, poll, commit. The first poll is
 * empty, as while a consumer joins its group. https://strimzi.io/docs/bridge/latest/
 */
export function useStrimziConsumer(): () => StrimziConsumer {
  const consumer = { url: '', records: [] as object[], committed: 0 };
  let polls = 0;
  let polled = 0;
  const answers: Readonly<Record<string, () => readonly [status: number, body: string]>> = {
    'POST /consumers/bring-over': () => [200, '{"instance_id": "one"}'],
    'POST /consumers/bring-over/instances/one/subscription': () => [204, ''],
    'GET /consumers/bring-over/instances/one/records': () => {
      polls += 1;
      const batch = polls === 1 ? [] : consumer.records.slice(polled);
      polled += batch.length;
      return [200, JSON.stringify(batch)];
    },
    'POST /consumers/bring-over/instances/one/offsets': () => {
      consumer.committed = polled;
      return [204, ''];
    },
  };
  const origin = useServer((request, response) => {
    const [status, body] = answers[`${request.method} ${request.url?.split('?')[0]}`]?.() ?? [404, ''];
    request.resume().on('end', () => response.writeHead(status).end(body));
  });
  before(() => {
    consumer.url = origin();
  });
  return () => consumer;
}
