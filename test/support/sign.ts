import { createHmac } from 'node:crypto';

type Message = {
  readonly secret: string;
  /** Seconds since 1970; now by default. */
  readonly time?: number;
  readonly body: string | Buffer;
};

const now = () => Math.floor(Date.now() / 1000);

/** The header `dlo-signature` by version 1, as docs/capture.md defines it. */
export function signV1({ secret, time = now(), body }: Message): string {
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
}

/** By version 2. `headers` are those that it covers, in lower case; values are sent as UTF-8. */
export function signV2(
  { secret, time = now(), body }: Message,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.keys(headers)
    .sort()
    .map((name) => `${name}:${headers[name]}\n`);
  const hmac = createHmac('sha256', secret)
    .update(`${time}.${lines.join('')}.`)
    .update(body);
  return `t=${time},v2=${hmac.digest('hex')}`;
}
