import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { CommandError } from './command-error.ts';

/** Where a deployment is. */
export type Settings = {
  readonly url: string;
  readonly console: string | undefined;
  /** Whether it runs on this machine, and asks for no identity. */
  readonly isLocal: boolean;
};

type Given = {
  readonly url?: string | undefined;
  readonly stack?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
};

/** The addresses of a deployment in the file: the output `urls` of its stack. */
type Stack = { readonly replay: string; readonly console?: string };

const localUrl = 'http://localhost:8080';

/**
 * Finds the deployment: --url, --stack, DLO_URL, DLO_STACK, or the one that `npm start` runs. Throws a
 * CommandError.
 */
export async function readSettings({ url, stack, env }: Given): Promise<Settings> {
  const name = stack ?? (env.DLO_STACK || undefined);
  const given = url ?? ((stack === undefined && env.DLO_URL) || undefined);
  if (given !== undefined) return toSettings({ replay: given }, env);
  const stacks = await readStacks(findFile(env));
  const found = name === undefined ? undefined : stacks[name];
  if (name !== undefined && !found?.replay) {
    const known = Object.keys(stacks).join(', ') || 'none';
    const missing = `${findFile(env)} has no stack "${name}" with an address "replay"`;
    throw new CommandError('usage', `${missing}. Its stacks: ${known}.`);
  }
  return toSettings(found ?? { replay: localUrl }, env);
}

/** The configuration file. */
export function findFile(env: NodeJS.ProcessEnv): string {
  return env.DLO_CONFIG || path.join(env.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'dlo.json');
}

async function readStacks(file: string): Promise<Readonly<Record<string, Stack>>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new CommandError('usage', `${file} cannot be read: ${error.message}`);
  });
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    throw new CommandError('usage', `${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function toSettings(stack: Stack, env: NodeJS.ProcessEnv): Settings {
  const url = URL.canParse(stack.replay) ? new URL(stack.replay) : undefined;
  // The path of an operation follows, and fetch takes no user from an address.
  const surplus = url && url.username + url.password + url.search + url.hash;
  if (!url || surplus !== '' || !/^https?:$/.test(url.protocol)) {
    const example = `such as ${localUrl} or https://dlo-replay-123.europe-west1.run.app`;
    throw new CommandError('usage', `"${stack.replay}" is no address of a replay function, ${example}.`);
  }
  // The function serves its API at both.
  if (url.pathname === '/') url.pathname = '/replay';
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const besides = isLocal ? `${url.origin}/console` : undefined;
  return { url: url.href.replace(/\/$/, ''), console: env.DLO_CONSOLE ?? stack.console ?? besides, isLocal };
}
