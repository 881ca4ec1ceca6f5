import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { openMessage, type Style } from '../../support/failing-message.ts';
import { seededRandom } from '../../support/seeded-random.ts';

// Days of messages whose truth is known: which publication or redelivery failed, and when. Consumers and brokers tell it in
// many voices, late, twice, in any order, alone and in batches, between ticks, replays, discards, edits and rewinds.
//   DAYS_SEEDS=50 DAYS_STEPS=200 npm run test:file test/shared/capture/days.test.ts

const seeds = Number(process.env.DAYS_SEEDS ?? 2);
const from = Number(process.env.DAYS_FROM ?? 1);
const steps = Number(process.env.DAYS_STEPS ?? 60);

describe('days of failures', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_events, dlq_captures, dlq_attempts'));

  for (const style of ['all', 'some', 'little'] as const) {
    for (let seed = from; seed < from + seeds; seed++) {
      it(`are heard once each, one by one and in batches, told ${style} (seed ${seed})`, async () => {
        const world = openWorld(style, seededRandom(seed));
        for (let step = 0; step < steps; step++) await world.step();
        await world.settle();
      });
    }
  }

  function openWorld(style: Style, random: () => number) {
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const days = openDays(database);
    const lines: string[] = [];
    const note = (text: string) => lines.push(`${days.now()}: ${text}`);
    const context = { days, random, style, note, log: () => lines.join('\n') };
    const messages = ['a', 'b', 'c'].map((name) => openMessage(name, context));
    const breaks = pick([
      [1, 5, 30],
      [30, 360, 720],
    ]);

    /** Voices of all messages: one by one, and in one statement with those of the others and of a stranger. */
    async function tell(): Promise<void> {
      const taken = messages.map((message) => ({ message, voices: message.takeVoices() }));
      for (const { message, voices } of taken) await message.tellOneByOne(voices);
      const batch = taken.flatMap(({ message, voices }, index) =>
        message.toBatch(voices).map((capture) => ({ index, capture })),
      );
      const stranger = { eventKey: 'id:stranger', eventId: null };
      const stored = await days.captureAll([stranger, ...batch.map(({ capture }) => capture)]);
      for (const [index, { message }] of taken.entries()) {
        const place = batch.findIndex((each) => each.index === index);
        await message.compareTwins(place < 0 ? undefined : stored[place + 1]?.id);
      }
    }

    return {
      async step(): Promise<void> {
        const message = pick(messages);
        const action = pick([
          'publish',
          'tick',
          'tick',
          'tell',
          'tell',
          'tell',
          'pass',
          'pass',
          'replay',
          'operate',
          'rewind',
          'rewind',
        ]);
        if (action === 'publish' && random() < 0.5) await message.publish();
        if (action === 'tick') for (const each of messages) await each.deliver(false);
        if (action === 'replay' && random() < 0.3) await message.deliver(true);
        if (action === 'tell') await tell();
        if (action === 'pass') await days.pass(pick(breaks));
        if (action === 'operate' && random() < 0.3) await message.operate();
        if (action === 'rewind') message.rewind();
      },

      async settle(): Promise<void> {
        await days.pass(2000);
        while (!messages.every((message) => message.isSilent())) await tell();
        for (const message of messages) await message.end();
      },
    };
  }
});
