import assert from 'node:assert/strict';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { findFreePort } from '../../support/free-port.ts';
import { explainMissing, type PackageManager } from './package-managers.ts';
import { type QueueRow, readQueueRows } from './queue-rows.ts';
import { scrubJson } from './recording.ts';
import { replayAll, startProduct } from './start-product.ts';
import { isListening, type Program, waitFor } from './start-program.ts';
import { type Describe, type Recorder, startRecorder } from './start-recorder.ts';

export type Failed = Recorder['posted'][number];

export type QueueSource = {
  /** The name of its recording. */
  readonly name: string;
  readonly needs: readonly PackageManager[];
  /**
   * Starts the software that fails. Its endpoint at `replayPort` puts a message back, at a path of `paths`.
   */
  readonly start: (place: { readonly capture: string; readonly replayPort: number }) => Promise<Program>;
  /** Brings `count` dead letters to capture. Without it, the software posts its failures itself. */
  readonly carry?: (capture: string, count: number) => Promise<void>;
  /** Default: the objects of the body, which is JSON. */
  readonly describe?: Describe;
  /** The path of the endpoint for each type of events. */
  readonly paths: Readonly<Record<string, string>>;
  readonly rows: readonly QueueRow[];
  /** The message of a failure, as its consumer sees it. */
  readonly readMessage: (failed: Failed) => unknown;
};

/**
 * The whole loop of a queue: messages are produced, the software fails, its dead letters or failed jobs are
 * captured, a replay sends the messages to an endpoint of the application, they fail again, and the failures
 * return to their events.
 */
export function testQueueSource(title: string, source: QueueSource): void {
  const { name, needs, rows, readMessage } = source;
  const count = rows.length;

  describe(title, { skip: explainMissing(...needs) }, () => {
    const database = useDatabase();
    let program: Program;
    let product: string;
    let recorder: Recorder;
    let captured: readonly QueueRow[];

    const carry = async (total: number) => {
      await source.carry?.(recorder.url, count);
      const isDone = () => recorder.posted.length >= total;
      await waitFor(`${total} failures were captured`, isDone, { program, seconds: 60 });
    };

    before(async () => {
      const replayPort = await findFreePort();
      const routes = Object.entries(source.paths).map(([eventType, place]) => ({
        match: { eventType },
        target: { kind: 'http', url: `http://127.0.0.1:${replayPort}/${place}` },
      }));
      product = await startProduct(database().url, routes);
      recorder = await startRecorder(`${product}/capture`, source.describe);
      program = await source.start({ capture: recorder.url, replayPort });
      await waitFor('the endpoint listened', () => isListening(replayPort), { program });
      await carry(count);
      captured = await readQueueRows(database());
    });

    it('stores all of each failure', () => {
      assert.deepEqual(captured, rows);
    });

    it('sends each message again as it was', async () => {
      assert.equal((await replayAll(product)).delivered, count);
      await carry(2 * count);
      const read = (failed: readonly Failed[]) =>
        failed.map((each) => JSON.stringify(readMessage(each))).sort();
      assert.deepEqual(read(recorder.posted.slice(count)), read(recorder.posted.slice(0, count)));
    });

    it('recognises each message that fails again', async () => {
      const states = await database().sql('select failure_count, status from dlq_events');
      assert.deepEqual(
        states,
        Array.from(rows, () => ({ failure_count: 2, status: 'PENDING' })),
      );
    });

    it('is recorded', (t) => {
      const file = path.join(import.meta.dirname, `../recorded/${name}.json`);
      t.assert.fileSnapshot(scrubJson(recorder.posted.slice(0, count)), file);
    });
  });
}
