import { createHmac } from 'node:crypto';

/**
 * Returns `dlo-signature` of version 2 for a body and the headers that it covers, which must be in lower case and sorted by
 * name (docs/capture.md).
 */
export function signRequest(secret: string, headers: Readonly<Record<string, string>>, body: Buffer): string {
  const time = Math.floor(Date.now() / 1000);
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const digest = createHmac('sha256', secret)
    .update(`${time}.${lines.join('')}.`)
    .update(body)
    .digest('hex');
  return `t=${time},v2=${digest}`;
}
