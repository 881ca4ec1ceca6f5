import { createHmac } from 'node:crypto';

/**
 * The header `dlo-signature` of version 2. `headers` are all that it covers, with names in lower case; the
 * body is signed as sent.
 */
export function signRequest(secret: string, headers: Readonly<Record<string, string>>, body: string): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const lines = Object.keys(headers)
    .sort()
    .map((name) => `${name}:${headers[name]}\n`);
  const digest = createHmac('sha256', secret)
    .update(`${nowSeconds}.${lines.join('')}.`, 'latin1')
    .update(body)
    .digest('hex');
  return `t=${nowSeconds},v2=${digest}`;
}
