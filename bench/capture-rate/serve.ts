import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export type Served = { readonly url: string; readonly child: ChildProcess };

/** Serves a function of functions.ts by the framework on a port, as Cloud Run does. */
export async function serve(target: string, port: number, databaseUrl: string): Promise<Served> {
  const framework = path.join(root, 'node_modules/.bin/functions-framework');
  const source = path.join(import.meta.dirname, 'functions.ts');
  const child = spawn(
    process.execPath,
    [framework, '--source', source, '--target', target, '--port', `${port}`],
    {
      env: {
        ...process.env,
        // The name of the function in functions/index.ts.
        FUNCTION_TARGET: target === 'coalesced' ? 'capture' : target,
        DATABASE_URL: databaseUrl,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  child.stdout.resume();
  return { url: `http://127.0.0.1:${port}/`, child };
}

/** Starts a proxy to the database with a delay of `delayMs`, as a process. */
export async function openDelayedLink(databaseUrl: string, delayMs: number): Promise<Served> {
  const file = path.join(import.meta.dirname, 'delayed-link.ts');
  const child = spawn(process.execPath, [file, databaseUrl, `${delayMs}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: url.toString().trim(), child };
}
