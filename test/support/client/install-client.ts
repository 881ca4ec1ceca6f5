import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

export type InstalledClient = { readonly folder: string; readonly files: string[]; remove(): Promise<void> };

/** Libraries that this repository lacks, with what the README uses of them. */
const described = {
  kafkajs: `
    export class Kafka { constructor(config: object); consumer(config: object): Consumer }
    type Message = { key: Buffer | null; value: Buffer | null; timestamp: string; offset: string;
      headers?: { [name: string]: Buffer | string | (Buffer | string)[] | undefined } };
    type Payload = { topic: string; partition: number; message: Message; heartbeat(): Promise<void> };
    type Batch = { batch: { topic: string; partition: number; messages: Message[] }; heartbeat(): Promise<void>;
      resolveOffset(offset: string): void; commitOffsetsIfNecessary(): Promise<void>;
      isRunning(): boolean; isStale(): boolean };
    type Run = { eachMessage?: (payload: Payload) => Promise<void>; eachBatch?: (batch: Batch) => Promise<void>;
      eachBatchAutoResolve?: boolean };
    type Consumer = { run(config: Run): Promise<void> };`,
  '@confluentinc/kafka-javascript': `export * as KafkaJS from 'kafkajs';`,
  fastify: `
    import type { IncomingHttpHeaders } from 'node:http';
    type Request = { headers: IncomingHttpHeaders; body: unknown };
    type Reply = { code(status: number): Reply; headers(values: object): Reply; send(text?: unknown): Reply };
    type Handler = (request: Request, reply: Reply) => unknown;
    export default function Fastify(): { post(path: string, handle: Handler): void };`,
};

/**
 * Packs the client, and unpacks the archive as npm would in an empty program, beside the libraries of its
 * README.
 */
export async function installClient(): Promise<InstalledClient> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-client-'));
  const modules = path.join(folder, 'node_modules');
  const client = path.join(modules, '@dead-letter-office/client');
  await mkdir(client, { recursive: true });
  const pack = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: path.join(root, 'packages/client') });
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  await run('tar', ['-xzf', path.join(folder, filename), '-C', client, '--strip-components=1']);
  for (const [name, types] of Object.entries(described)) {
    await mkdir(path.join(modules, name), { recursive: true });
    await writeFile(path.join(modules, name, 'index.d.ts'), types);
    const manifest = JSON.stringify({ name, type: 'module', types: 'index.d.ts' });
    await writeFile(path.join(modules, name, 'package.json'), manifest);
  }
  await linkModules(modules);
  return {
    folder,
    files: files.map((file: { path: string }) => file.path),
    remove: () => rm(folder, { recursive: true }),
  };
}

const linked = ['@google-cloud', '@platformatic', '@types', 'express', 'hono', 'pg'];

async function linkModules(modules: string): Promise<void> {
  const known = await readdir(path.join(root, 'node_modules'));
  for (const name of linked.filter((each) => known.includes(each))) {
    await symlink(path.join(root, 'node_modules', name), path.join(modules, name));
  }
}
