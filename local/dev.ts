import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// `npm run dev`: `npm start`, again after each change of its code or its SQL. The stylesheets and scripts of
// the console need no restart: they are read with each request.
const folders = ['functions', 'local', 'migrations', 'shared'];
/** An editor, or a checkout, writes several times. */
const quietMs = 200;

const changes = new EventEmitter();
for (const folder of folders) {
  watch(join(import.meta.dirname, '..', folder), { recursive: true }, (_, file) => {
    if (/\.(ts|sql)$/.test(file ?? '')) changes.emit('change');
  });
}
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());

while (!stopped.signal.aborted) {
  const service = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], { stdio: 'inherit' });
  const ended = once(service, 'exit');
  const changed = once(changes, 'change', { signal: stopped.signal });
  await changed.then(() => delay(quietMs)).catch(() => {});
  service.kill();
  await ended;
}
process.exit();
