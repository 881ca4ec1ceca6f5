import type { IncomingMessage } from 'node:http';
import { after, before } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { CRC32C } from '@google-cloud/storage';
import { useServer } from './server.ts';

export type StorageStandIn = {
  readonly files: Map<string, Buffer>;
  /** Changes what is read back of a file, or lets something happen before it is. */
  damage: (content: Buffer) => Buffer | Promise<Buffer>;
};

/** Plays the two calls of Cloud Storage's JSON API that an export makes: upload a file, and read it. */
export function useStorage(): () => StorageStandIn {
  const standIn: StorageStandIn = { files: new Map(), damage: (content) => content };
  const origin = useServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST') {
      const name = url.searchParams.get('name') ?? '';
      const content = readSecondPart(await readBody(request));
      standIn.files.set(name, content);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name, size: `${content.length}`, crc32c: checksum(content) }));
    } else {
      const stored = standIn.files.get(decodeURIComponent(url.pathname.split('/o/')[1] ?? ''));
      const content = stored && (await standIn.damage(stored));
      if (content) response.setHeader('x-goog-hash', `crc32c=${checksum(content)}`);
      response.writeHead(content ? 200 : 404).end(content);
    }
  });
  before(() => {
    process.env.STORAGE_EMULATOR_HOST = origin();
  });
  after(() => {
    delete process.env.STORAGE_EMULATOR_HOST;
  });
  return () => standIn;
}

/** Lists the exports of months by their manifests. */
export function listExports({ files }: StorageStandIn) {
  const manifests = [...files]
    .filter(([name]) => name.endsWith('.json'))
    .map(([, content]) => JSON.parse(`${content}`));
  return manifests.map((manifest) => ({
    manifest,
    lines: manifest.files
      .map(({ file }: { file: string }) => gunzipSync(files.get(file) ?? Buffer.alloc(0)).toString())
      .join(''),
  }));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Of `multipart/related`: what is described first, then the content. */
function readSecondPart(body: Buffer): Buffer {
  const boundary = body.subarray(0, body.indexOf('\r\n'));
  const second = body.indexOf(boundary, boundary.length);
  const start = body.indexOf('\r\n\r\n', second) + 4;
  return body.subarray(start, body.lastIndexOf(boundary) - 2);
}

function checksum(content: Buffer): string {
  const crc = new CRC32C();
  crc.update(content);
  return crc.toString();
}
