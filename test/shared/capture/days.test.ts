import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { seededRandom } from '../../support/seeded-random.ts';

// Days of messages whose truth is known: which publication or redelivery failed, and when. Consumers and brokers tell it in
// many voices, late, twice, in any order, alone and in batches, between ticks, replays, discards and reopening by operators.

const seeds = Number(process.env.DAYS_SEEDS ?? 3);
const steps = Number(process.env.DAYS_STEPS ?? 120);

/** A failure as it truly was, with what is still to be told of it. */
type Truth = {
  readonly id: number;
  readonly failed: number;
  /** Ours by number, else of the publication in this minute. */
  readonly delivery: number | null;
  readonly published: number | null;
  isTold: boolean;
};

/** What consumers tell: `all`, tokens and publications come back, `little`: reports say only which message failed. */
const styles = ['all', 'little'] as const;

describe('days of failures', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_events, dlq_captures, dlq_attempts'));

  for (const style of styles) {
    for (let seed = 1; seed <= seeds; seed++) {
      it(`are heard once each, told ${style} (seed ${seed})`, async () => {
        const world = openWorld(style, seededRandom(seed));
        for (let step = 0; step < steps; step++) await world.step();
        await world.settle();
      });
    }
  }

  function openWorld(style: (typeof styles)[number], random: () => number) {
    const days = openDays(database);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const truths: Truth[] = [];
    const voices: {
      readonly due: number;
      readonly truth: Truth;
      readonly facts: Partial<Capture>;
      readonly failed: number;
    }[] = [];
    const batch: Partial<Capture>[] = [];
    const consumer = pick([null, 'billing']);
    let event: string | undefined;
    const log: string[] = [];
    const note = (text: string) => log.push(`${days.now()}: ${text}`);

    /** The failure of a publication or of a redelivery, with the voices that will tell it. */
    function fail(truth: Truth, redelivered: Partial<Capture>): void {
      truths.push(truth);
      const told = truth.published === null ? redelivered : { publication: `P${truth.published}` };
      const facts = style === 'all' ? told : {};
      const report = {
        origin: 'report' as const,
        errorReason: `failure ${truth.id}`,
        consumerGroup: consumer,
        ...facts,
      };
      const own = style === 'all' ? pick([1, 1, 3]) : 1;
      const failed = truth.failed;
      const tells = style === 'little' || random() < 0.8;
      if (tells)
        for (let i = 0; i < own; i++)
          voices.push({ due: failed + i * pick([3, 90, 400]), truth, facts: report, failed });
      if (style === 'all' && (!tells || random() < 0.7)) {
        const gaveUp = failed + pick([1, 30, 500]);
        const copies = pick([1, 1, 2]);
        for (let i = 0; i < copies; i++) {
          const copy = { ...told, consumerGroup: consumer, deliveryId: `copy-${truth.id}-${i}` };
          voices.push({ due: gaveUp + pick([0, 2, 300]), truth, facts: copy, failed: gaveUp });
        }
      }
    }

    async function publish(): Promise<void> {
      // No two publications have one time.
      await days.pass(1);
      const published = days.now();
      note(`published, fails`);
      fail({ id: truths.length, failed: published + 1, delivery: null, published, isTold: false }, {});
    }

    /** A tick sends what is open and due. The target fails, or accepts and its consumer fails later, or all is well. */
    async function tick(): Promise<void> {
      if (event === undefined) return;
      const { status } = await days.show(event);
      if (status !== 'PENDING') return;
      const ending = pick(['refused', 'accepted', 'accepted', 'fails later']);
      note(`delivered: ${ending}`);
      await days.deliver(event, ending !== 'refused');
      if (ending !== 'fails later') return;
      const redelivered = await days.redelivered(event);
      const failed = days.now() + pick([1, 60]);
      fail(
        { id: truths.length, failed, delivery: redelivered.attempt ?? 0, published: null, isTold: false },
        redelivered,
      );
    }

    async function tell(): Promise<void> {
      const due = voices.filter((voice) => voice.due <= days.now());
      if (due.length === 0) return;
      const voice = pick(due);
      voices.splice(voices.indexOf(voice), 1);
      const { publication, ...facts } = voice.facts;
      const capture = {
        ...facts,
        publication: publication ? days.publication(Number(publication.slice(1))) : null,
        failedAt: style === 'all' ? days.at(voice.failed) : null,
      };
      const before = event === undefined ? undefined : await days.show(event);
      note(`told: ${JSON.stringify({ ...voice.facts, ofFailure: voice.truth.id })}`);
      const strangers = Array.from({ length: pick([0, 0, 3]) }, (_, i) => ({
        eventKey: `id:stranger-${i}`,
        eventId: null,
      }));
      const stored = await days.captureAll([...strangers, capture]);
      event ??= stored.at(-1)?.id;
      assert.equal(stored.at(-1)?.id, event, log.join('\n'));
      if (before) await check(voice.truth, before);
      voice.truth.isTold = true;
    }

    /** A failure that was told opens nothing again; one that is new, and that no later delivery made good, does. */
    async function check(truth: Truth, before: Awaited<ReturnType<typeof days.show>>): Promise<void> {
      const after = await days.show(event ?? '');
      const isLatest =
        truth.delivery === null ? deliveredAt < truth.failed : truth.delivery === after.deliveries;
      if (style === 'all' && truth.isTold)
        assert.deepEqual(pickState(after), pickState(before), log.join('\n'));
      if (!truth.isTold && isLatest && before.status === 'SUCCEEDED')
        assert.equal(after.status, 'PENDING', log.join('\n'));
    }

    let deliveredAt = Number.NEGATIVE_INFINITY;

    return {
      async step(): Promise<void> {
        const action = pick(['publish', 'tick', 'tick', 'tell', 'tell', 'tell', 'pass', 'pass', 'operate']);
        if (action === 'publish' && (event === undefined || random() < 0.3)) await publish();
        if (action === 'tick') {
          const before = event === undefined ? 0 : (await days.show(event)).deliveries;
          await tick();
          if (event !== undefined && (await days.show(event)).deliveries > before) deliveredAt = days.now();
        }
        if (action === 'tell') await tell();
        if (action === 'pass') await days.pass(pick([1, 5, 30, 360]));
        if (action === 'operate' && event !== undefined && random() < 0.3) await operate(event);
      },

      /** All that is left is told: in the end no failure that was heard is closed without a delivery after it. */
      async settle(): Promise<void> {
        await days.pass(2000);
        while (voices.length > 0) await tell();
        const unheard = truths.filter(({ isTold }) => !isTold);
        assert.deepEqual(unheard, [], log.join('\n'));
        assert.equal(batch.length, 0);
        if (style === 'all' && event !== undefined) {
          const { failures } = await days.show(event);
          assert.ok(failures <= truths.length, `${failures} failures of ${truths.length}\n${log.join('\n')}`);
        }
      },
    };

    async function operate(id: string): Promise<void> {
      const status = pick(['DISCARDED', 'PENDING']);
      note(`operator: ${status}`);
      await database().sql(`update dlq_events set status = $2 where id = $1 and status <> 'PROCESSING'`, [
        id,
        status,
      ]);
    }
  }
});

function pickState({ status, failures, retries }: { status: string; failures: number; retries: number }) {
  return { status, failures, retries };
}
