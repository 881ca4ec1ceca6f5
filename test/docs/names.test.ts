import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { FilterSchema } from '../../shared/events/filter/filter-schema.ts';

const cwd = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');

/** Names of other systems. */
const foreign = [
  'CAPTURE_AUDIENCE',
  'CERT_HAS_EXPIRED',
  'ack_requeue_false',
  'acks_late',
  'allowScripts',
  'dead_letter',
  'pg_dump',
  'pg_prepared_xacts',
  'pg_replication_slots',
  'task_failure',
];

/** Every word of the product, whose names the documentation uses. */
const words = new Set(
  globSync(['{shared,functions,infra,local,migrations,packages}/**/*.{ts,sql}', 'Pulumi.yaml'], {
    cwd,
    exclude: ['**/node_modules/**', 'packages/*/dist/**'],
  }).flatMap((file) => read(file).match(/\w+/g) ?? []),
);
for (const name of [...foreign, ...Object.keys(FilterSchema.entries)]) words.add(name);

/** A name of the product in code: `MAX_RETRIES`, `dlq_events`, `maxRetries`. */
const names = /`([a-z]+(?:[A-Z][a-z]+)+|[A-Za-z]+(?:_[A-Za-z]+)+)`/g;

describe('the documentation', () => {
  for (const page of ['README.md', ...globSync('docs/*.md', { cwd })]) {
    it(`of ${page} names nothing that the product does not know`, () => {
      const unknown = [...read(page).matchAll(names)]
        .map(([, name = '']) => name.replace(/^dead_letter_/, ''))
        .filter((name) => !words.has(name));
      assert.deepEqual([...new Set(unknown)], []);
    });
  }
});
