import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Changes, countChanges } from './changes.ts';
import { pluginFolder } from './find-engine.ts';
import type { Workspace } from './workspace.ts';

const plugins = path.resolve(import.meta.dirname, '../../node_modules/@pulumi/pulumi');

export type Ran = {
  /** The exit code of Pulumi. */
  readonly code: number | null;
  readonly output: string;
  readonly changes: Changes;
  readonly seconds: number;
};

/** A stack of a workspace, which Pulumi's own engine deploys. */
export type Stack = {
  readonly name: string;
  /** Runs `pulumi COMMAND --stack NAME`, without questions. */
  run(command: string, ...options: readonly string[]): Promise<Ran>;
  /** Sets a value of its configuration, by its full key or by the name of a setting. */
  set(key: string, value: string): Promise<void>;
  /** Removes a value, by its full key. */
  unset(key: string): Promise<void>;
  /** Returns the value of an output. */
  output(name: string): Promise<unknown>;
};

/** Creates a stack with the configuration of Pulumi.NAME.yaml, if there is one. */
export async function createStack(
  workspace: Workspace,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<Stack> {
  const { folder } = workspace;
  const home = path.join(folder, '..');
  await mkdir(path.join(home, 'state'), { recursive: true });
  await linkPlugins(path.join(home, 'pulumi'));
  const surroundings = {
    ...env,
    HOME: home,
    // Node.js as pinned first, as in an npm script.
    PATH: [path.join(folder, 'node_modules/.bin'), process.env.PATH, plugins].join(path.delimiter),
    PULUMI_HOME: path.join(home, 'pulumi'),
    PULUMI_BACKEND_URL: `file://${path.join(home, 'state')}`,
    PULUMI_CONFIG_PASSPHRASE: 'only-for-tests',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    // The proxy leads nowhere else.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    // Else the log of events is not offered.
    PULUMI_DEBUG_COMMANDS: 'true',
  };
  const call = async (args: readonly string[]) => {
    const child = spawn('pulumi', [...args, '--stack', name, '--non-interactive'], {
      cwd: folder,
      env: surroundings,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve).once('error', reject);
    });
    const [code, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, output: said.join('') };
  };
  const must = async (args: readonly string[]) => {
    const { code, output } = await call(args);
    if (code !== 0) throw new Error(`pulumi ${args.join(' ')} failed:\n${output}`);
    return output;
  };
  await must(['stack', 'init']);
  return {
    name,
    run: async (command, ...options) => {
      const events = path.join(home, `${name}.events`);
      await rm(events, { force: true });
      const start = performance.now();
      const confirmed = command === 'preview' ? [] : ['--yes'];
      const { code, output } = await call([command, ...confirmed, '--event-log', events, ...options]);
      const seconds = Math.round((performance.now() - start) / 1000);
      const log = await readFile(events, 'utf8').catch(() => '');
      return { code, output, seconds, changes: countChanges(log, command === 'preview') };
    },
    set: async (key, value) => {
      const fullKey = key.includes(':') ? key : `dead-letter-office:${key}`;
      await must(['config', 'set', '--path', fullKey, '--plaintext', value]);
    },
    unset: async (key) => {
      await must(['config', 'rm', key]);
    },
    output: async (key) => JSON.parse(await must(['stack', 'output', key, '--json'])),
  };
}

/** Lets Pulumi find the plugins that were installed for the user who runs the suite. */
async function linkPlugins(home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  if (!existsSync(pluginFolder) || existsSync(path.join(home, 'plugins'))) return;
  await symlink(pluginFolder, path.join(home, 'plugins'));
}
