import { findFreePort } from '../../support/free-port.ts';
import { isListening, startProgram, waitFor } from './start-program.ts';

const { PUBSUB_EMULATOR } = process.env;

/** A sentence if there is no emulator: the reason to skip a test. */
export const emulatorIsMissing =
  !PUBSUB_EMULATOR && "Skipped: PUBSUB_EMULATOR names no jar of Google's emulator (test/brokers/README.md).";

/** Starts Google's emulator of Pub/Sub, and returns `127.0.0.1:PORT`. */
export async function startEmulator(): Promise<string> {
  const port = await findFreePort();
  const program = startProgram([
    'java',
    ...['-Xmx128m', '-XX:+UseSerialGC', '-jar', PUBSUB_EMULATOR ?? ''],
    ...['--host=127.0.0.1', `--port=${port}`],
  ]);
  await waitFor("Google's emulator listened", () => isListening(port), { program });
  return `127.0.0.1:${port}`;
}
