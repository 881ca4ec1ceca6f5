import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { useDatabase } from '../../support/database.ts';
import type { Fixture } from '../../support/envelopes.ts';
import { readAll } from '../../support/read-capture.ts';

const read = (name: string) => {
  const file = path.resolve(import.meta.dirname, `../../fixtures/envelopes/${name}.json`);
  const { http }: Fixture = JSON.parse(readFileSync(file, 'utf8'));
  return readAll(typeof http.body === 'string' ? http.body : (http.body as object), http.headers);
};

describe('a dead letter and the copy that a bridge changed', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const capture = async (...names: string[]) => {
    for (const name of names) {
      await storeCaptures({ db: database().db, maxRecurrences: 10, repeatSeconds: 600 }, read(name));
    }
    return database().sql(
      `select convert_from(body, 'UTF8') as body, source_key, error_reason, error_class, error_stacktrace, fingerprint,
         first_error_reason, failure_count, headers
       from dlq_events`,
    );
  };

  for (const [what, bridged, exact] of [
    ['Kafka Connect', '209-recorded-google-sink-connect', '201-recorded-connect-value-converter'],
    ['Spring', '213-recorded-google-sink-spring', '216-recorded-spring-listener-exception'],
    ['the JSON form', '234-recorded-strimzi-form-json', '233-recorded-strimzi-form-binary'],
  ] as const) {
    it(`are one event with the facts of the exact one, in either order: ${what}`, async () => {
      const [inOrder] = await capture(exact, bridged);
      await database().clear('dlq_events');
      const rows = await capture(bridged, exact, bridged);

      assert.deepEqual(rows, [inOrder]);
      assert.equal(rows[0]?.failure_count, 1);
    });
  }
});
