import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { findFailureHeaders, omissions } from '../../shared/message/failure-headers.ts';
import type { Omission } from '../../shared/message/formats/format.ts';
import { aCapture } from '../support/captures.ts';
import { useDatabase } from '../support/database.ts';
import { fixtureHeaders } from '../support/fixture-headers.ts';

type Case = { readonly names: readonly string[]; readonly kind: string };

/** A name that an expression without lookaround matches. */
const matching = (names: RegExp) => {
  const plain = names.source.replaceAll(/\(\?[=!](?:[^()]|\([^()]*\))*\)/g, '');
  return fc.stringMatching(new RegExp(plain.replaceAll(/\.\*/g, 'x').replaceAll(String.raw`\b`, '')));
};
const shorten = (name: string) => name.slice(0, 60).replaceAll(/[^\x21-\x7e]/g, 'x');

/** Messages with the headers of a failure, without one of its markers, or with those of others. */
const cases = (omission: Omission): Case[] => {
  const markers = omission.markers.map((marker) =>
    marker instanceof RegExp ? matching(marker) : fc.constantFrom(...marker),
  );
  const there = fc.tuple(...markers.map((marker) => fc.option(marker, { freq: 10, nil: 'tenant' })));
  const omitted = fc.array(matching(omission.omit), { maxLength: 3 });
  const others = fc.array(
    fc.constantFrom('retries', 'url', 'payload', 'error_message', 'x-error', 'reason', 'Id'),
  );
  const kind = fc.constantFrom('unknown', omission.kind ?? 'http');
  return fc.sample(fc.record({ there, omitted, others, kind }), { numRuns: 60, seed: 3 }).map((each) => ({
    names: [...new Set([...each.there, ...each.omitted, ...each.others, 'tenant'].map(shorten))],
    kind: each.kind,
  }));
};

describe('the headers of a message itself, as captures are compared by them,', () => {
  const database = useDatabase();

  it('are those that a redelivery sends, for each format and for each recorded message', async () => {
    const all = [...omissions.flatMap(cases), ...fixtureHeaders().map((names) => ({ names, kind: 'http' }))];
    const rows = await database().sql<{ own: readonly string[] }>(
      `select array(select jsonb_object_keys(dlq_own_headers(headers, kind)) order by 1) as own
       from json_to_recordset($1) as each (headers jsonb, kind text, place integer) order by place`,
      [
        JSON.stringify(
          all.map(({ names, kind }, place) => ({
            headers: Object.fromEntries(names.map((name) => [name, 'x'])),
            kind,
            place,
          })),
        ),
      ],
    );
    assert.equal(rows.length, all.length);
    for (const [index, { names, kind }] of all.entries()) {
      const isOfFailure = findFailureHeaders(Object.fromEntries(names.map((name) => [name, 'x'])), kind);
      const isOwn = (name: string) => !isOfFailure(name) && !ofHops.test(name);
      const own = [...new Set(names.filter(isOwn).map((name) => name.toLowerCase()))].sort();
      assert.deepEqual([...(rows[index]?.own ?? [])].sort(), own, `${kind}: ${names.join(', ')}`);
    }
  });

  it('are the same for two copies that only count their failures, in headers of any format', async () => {
    const store = (headers: Record<string, string>) =>
      storeCaptures({ db: database().db, repeatSeconds: 600 }, [
        aCapture({ eventKey: `id:${headers.id}`, headers }),
      ]);
    const celery = { id: 'task-1', task: 'charge', root_id: 'task-1' };
    const [first] = await store({ ...celery, retries: '1' });
    const [second] = await store({ ...celery, retries: '2' });
    const [other] = await store({ ...celery, task: 'refund', retries: '2' });

    assert.deepEqual([second?.isNew, second?.id], [false, first?.id]);
    assert.deepEqual([other?.isNew, other?.conflictsWith], [true, first?.id]);
  });
});

/** Headers that each hop adds, by docs/capture.md. */
const ofHops =
  /^(traceparent|tracestate|baggage|b3|date|via|user-agent|from|forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-b3-.*|x-cloud-trace-context|x-amzn-trace-id|x-datadog-.*|sentry-trace|uber-trace-id|grpc-trace-bin|cf-.*|x-envoy-.*|dlo-.*|googclient_.*)$/i;
