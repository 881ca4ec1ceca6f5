import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { type FailingMessage, openMessage, type Style } from '../../support/failing-message.ts';
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

    async function tick(): Promise<void> {
      for (const message of messages) await message.deliver(false);
    }

    const pass = () => days.pass(pick(breaks));
    const sometimes = async (chance: number, act: () => Promise<void>) => {
      if (random() < chance) await act();
    };
    const actions: readonly ((message: FailingMessage) => void | Promise<void>)[] = [
      (message) => sometimes(0.5, () => message.publish()),
      (message) => sometimes(0.3, () => message.deliver(true)),
      (message) => sometimes(0.3, () => message.operate()),
      (message) => message.rewind(),
      (message) => message.rewind(),
      ...[tick, tick, tell, tell, tell, pass, pass],
    ];

    return {
      async step(): Promise<void> {
        const message = pick(messages);
        await pick(actions)(message);
      },

      async settle(): Promise<void> {
        await days.pass(2000);
        while (!messages.every((message) => message.isSilent())) await tell();
        for (const message of messages) await message.end();
      },
    };
  }
});
