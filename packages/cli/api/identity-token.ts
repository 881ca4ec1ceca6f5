import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandError } from '../command-error.ts';

const run = promisify(execFile);

/**
 * Returns the token of DLO_TOKEN, or else an identity token of the account of gcloud. Throws a CommandError.
 */
export async function getIdentityToken(env: NodeJS.ProcessEnv): Promise<string> {
  const given = env.DLO_TOKEN;
  if (given && !/^[!-~]+$/.test(given))
    throw new CommandError('usage', 'DLO_TOKEN is no identity token: a space or a line break is in it.');
  if (given) return given;
  try {
    const { stdout } = await run('gcloud', ['auth', 'print-identity-token'], { env });
    return stdout.trim();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    const reason = isMissing ? 'gcloud is not installed.' : `gcloud has no identity token: ${said}`;
    const remedy = 'Install it and run `gcloud auth login`, or set DLO_TOKEN to an identity token.';
    throw new CommandError('unreachable', `${reason}\n${remedy}`, { cause: error });
  }
}
