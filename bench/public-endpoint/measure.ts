import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createDatabase, dropDatabase } from '../../test/support/database.ts';
import { serveFunction } from '../../test/support/framework.ts';
import { signV2 } from '../../test/support/sign.ts';
import { attacks } from './attacks.ts';

// Latency of signed requests and memory of the capture function, without and under attack:
// DATABASE_URL=postgres://... node bench/public-endpoint/measure.ts --seconds 10
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string' } },
});
const secret = 'a secret of a bridge';
/** One small signed request each so many ms. */
const intervalMs = 20;

const database = await createDatabase();
console.log(
  '| attack | signed requests | not 200 | p50 ms | p99 ms | worst ms | memory before, max MiB |\n|---|---|---|---|---|---|---|',
);
const wanted = Object.keys(attacks).filter((name) => name.includes(values.only ?? ''));
for (const name of wanted) {
  const served = await serveFunction('capture', { DATABASE_URL: database.url, CAPTURE_SECRETS: secret });
  const send = sender(served.url);
  for (let i = 0; i < 50; i++) await send();
  const before = readMemory(served.child.pid);
  const attacker = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'attacker.ts'), served.url, secret, name],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(attacker.stdout as Readable, 'data');
  const sending: Promise<{ ms: number; status: number }>[] = [];
  let max = 0;
  for (
    const endsAt = Date.now() + 1000 * Number(values.seconds);
    Date.now() < endsAt;
    await pause(intervalMs)
  ) {
    sending.push(send());
    max = Math.max(max, readMemory(served.child.pid));
  }
  const answers = await Promise.all(sending);
  attacker.kill('SIGKILL');
  await served.stop();
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.ceil(share * times.length) - 1] ?? 0);
  const failed = answers.filter(({ status }) => status !== 200).length;
  console.log(
    `| ${name} | ${answers.length} | ${failed} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${before}, ${max} |`,
  );
}
await database.close();
await dropDatabase(database.url);

function sender(url: string) {
  let count = 0;
  return async () => {
    const body = `{"eventType": "order", "error": "503", "payload": ${++count}}`;
    const headers = { 'content-type': 'application/json' };
    const started = performance.now();
    const signature = signV2({ secret, body }, headers);
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'dlo-signature': signature },
    });
    await response.arrayBuffer();
    return { ms: performance.now() - started, status: response.status };
  };
}

/** Resident memory of a process, in MiB. */
function readMemory(pid: number | undefined): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
