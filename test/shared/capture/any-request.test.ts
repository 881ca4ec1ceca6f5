import assert from 'node:assert/strict';
import http from 'node:http';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { useCapture } from '../../support/capture.ts';
import { useDatabase } from '../../support/database.ts';
import { type AnyRequest, anyRequest } from '../../support/requests.ts';
import { tries } from '../../support/sample.ts';
import { readBodies } from '../../support/stored-bodies.ts';

describe('capture, for any request,', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
  after(() => agent.destroy());

  /** Uses node:http, because fetch would correct the headers. */
  const send = ({ headers, body }: AnyRequest) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const list = [...headers.flat(), 'host', 'localhost', 'content-length', `${body.length}`];
      const request = http.request(capture().url, { method: 'POST', agent, headers: list }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });

  /** As the answer of an overloaded capture asks for. */
  const sendUntilTaken = async (request: AnyRequest) => {
    for (;;) {
      const answer = await send(request);
      if (answer.status !== 503) return answer;
    }
  };

  it('responds with the ids of stored events that have the exact bytes', async () => {
    const property = fc.asyncProperty(
      fc.array(anyRequest, { minLength: 100, maxLength: 100 }),
      async (requests) => {
        const answers = await Promise.all(requests.map(sendUntilTaken));
        for (const [i, { status, text }] of answers.entries()) {
          assert.equal(status, 200, text);
          const { events } = JSON.parse(text) as { events: { id: string }[] };
          const rows = await readBodies(
            database(),
            events.map(({ id }) => id),
          );
          assert.equal(rows.length, new Set(events.map(({ id }) => id)).size);
          const { expectedBody } = requests[i] as AnyRequest;
          // An event without content gets that of another capture of its id: ids in headers are short, and may be equal.
          if (expectedBody?.length) assert.deepEqual(rows, [expectedBody]);
        }
      },
    );
    await fc.assert(property, { numRuns: tries(50), endOnFailure: true });
  });
});
