import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endWithProcess } from './end-with-process.ts';
import { findFreePort } from './free-port.ts';

const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
const [, settings = ''] = /^```ini\n(.*?)^```$/ms.exec(page) ?? [];

/** Returns why a test of PgBouncer is skipped; false if this machine has one that docs/scaling.md names. */
export function lacksPgbouncer(): string | false {
  const [, minor] =
    /PgBouncer 1\.(\d+)/.exec(spawnSync('pgbouncer', ['--version']).stdout?.toString() ?? '') ?? [];
  return Number(minor) >= 22 ? false : 'this machine has no PgBouncer of version 1.22 or newer';
}

export type Pgbouncer = { readonly url: string; readonly stop: () => Promise<void> };

/** Starts PgBouncer with the settings of docs/scaling.md before a database. */
export async function startPgbouncer(databaseUrl: string): Promise<Pgbouncer> {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'pgbouncer-'));
  // PgBouncer refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  chmodSync(folder, 0o755);
  const own = await findFreePort();
  const database = `host=${hostname} port=${port} dbname=${pathname.slice(1)}`;
  const listening = `auth_type = any\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\n`;
  const login = ` user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `${settings.replace(/host=\S+ port=\S+ dbname=\S+/, `${database}${login} pool_size=3`)}${listening}`,
  );
  const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'pipe', 'pipe'], ...nobody });
  endWithProcess(child);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        if (output.includes('process up')) resolve();
      });
    child.once('exit', () => reject(new Error(`PgBouncer did not start:\n${output}`)));
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { url: `postgres://anybody@127.0.0.1:${own}/dlq`, stop };
}
