import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Installed = {
  /** Returns the folder of an archive, extracted and with its packages, as the buildpack leaves it. */
  install(archive: Buffer): Promise<string>;
  remove(): Promise<void>;
};

/** Installs archives of functions, each once. */
export function installArchives(): Installed {
  const folders = new Map<string, Promise<string>>();
  const extract = async (archive: Buffer) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'dlo-function-'));
    const file = path.join(folder, 'source.zip');
    await writeFile(file, archive);
    await run('unzip', ['-q', file], { cwd: folder });
    const { npm_config_cache = path.join(homedir(), '.npm') } = process.env;
    const env = { ...process.env, HOME: folder, NODE_ENV: 'production', npm_config_cache };
    await run('npm', ['ci', '--quiet', '--no-fund', '--no-audit', '--prefer-offline'], { cwd: folder, env });
    return folder;
  };
  return {
    install: (archive) => {
      const hash = createHash('sha256').update(archive).digest('hex');
      const folder = folders.get(hash) ?? extract(archive);
      folders.set(hash, folder);
      return folder;
    },
    remove: async () => {
      for (const folder of folders.values()) await rm(await folder, { recursive: true });
    },
  };
}
