import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSequence } from '../../../shared/delivery/in-sequence.ts';

describe('sequenced work', () => {
  const open = () => {
    const sequence = inSequence<void>();
    const log: string[] = [];
    const work = (name: string | undefined, text: string, end: Promise<void> = Promise.resolve()) =>
      sequence(name, async () => {
        log.push(`${text} begins`);
        await end.finally(() => log.push(`${text} ends`));
      });
    return { log, work };
  };

  it('waits for the previous work of its name, even if that fails', async () => {
    const { log, work } = open();
    const works = [work('a', '1', Promise.reject(new Error('no'))), work('a', '2'), work('a', '3')];
    await Promise.allSettled(works);
    assert.deepEqual(log, ['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  });

  for (const [what, name] of Object.entries({ 'of another name': 'b', 'without a name': undefined })) {
    it(`does not delay work ${what}`, async () => {
      const { log, work } = open();
      const { promise, resolve } = Promise.withResolvers<void>();
      const first = work('a', '1', promise);
      await work(name, '2');
      resolve();
      await first;
      assert.deepEqual(log, ['1 begins', '2 begins', '2 ends', '1 ends']);
    });
  }
});
