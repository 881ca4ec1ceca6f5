import { brotliCompressSync, gzipSync } from 'node:zlib';
import { openUpload } from '../../test/support/raw-upload.ts';
import { signV2 } from '../../test/support/sign.ts';

export type Target = { readonly url: string; readonly secret: string };

/** One wave of an attack. Returns what ends it. */
type Attack = (target: Target) => Promise<() => void>;

const mebi = 2 ** 20;
const bomb = brotliCompressSync(Buffer.alloc(127 * mebi, ' '));
const signedBomb = gzipSync(Buffer.alloc(100 * mebi));

/** Attacks by name, of callers without the secret; the last one is by a sender who has it. */
export const attacks: Readonly<Record<string, Attack>> = {
  none: async () => () => {},
  '60 unsigned bombs at once, again and again': async ({ url }) => {
    await post(url, 60, () => ({ body: bomb, headers: { 'content-encoding': 'br' } }));
    return () => {};
  },
  '20 unsigned uploads of 31 MiB that never end': ({ url }) => upload(url, 20, { bytes: 31 * mebi }),
  '20 uploads of 15 MiB with a forged signature that never end': ({ url }) =>
    upload(url, 20, { bytes: 15 * mebi, headers: forge() }),
  '20 uploads in chunks of 1 byte with a forged signature': ({ url }) =>
    upload(url, 20, { bytes: mebi, chunkBytes: 1, headers: forge() }),
  '40 complete requests of 1 MiB with a forged signature': async ({ url }) => {
    await post(url, 40, () => ({ body: Buffer.alloc(mebi), headers: forge() }));
    return () => {};
  },
  '10 bombs with a valid signature': async ({ url, secret }) => {
    const headers = { 'content-encoding': 'gzip' };
    const signed = () => ({ ...headers, 'dlo-signature': signV2({ secret, body: signedBomb }, headers) });
    await post(url, 10, () => ({ body: signedBomb, headers: signed() }));
    return () => {};
  },
};

/** A signature that only the body can refute. */
function forge(): Record<string, string> {
  return { 'dlo-signature': `t=${Math.floor(Date.now() / 1000)},v2=${'0'.repeat(64)}` };
}

type Sent = { readonly body: Buffer; readonly headers: Record<string, string> };

async function post(url: string, count: number, make: () => Sent): Promise<void> {
  const sending = Array.from({ length: count }, async () => {
    const { body, headers } = make();
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
    await response.arrayBuffer();
  });
  await Promise.allSettled(sending);
}

async function upload(
  url: string,
  count: number,
  what: Parameters<typeof openUpload>[1],
): Promise<() => void> {
  const opened = await Promise.all(Array.from({ length: count }, () => openUpload(url, what)));
  return () => {
    for (const { socket } of opened) socket.destroy();
  };
}
