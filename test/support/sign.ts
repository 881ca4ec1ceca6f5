import { createHmac } from 'node:crypto';

type Message = {
  readonly secret: string;
  /** Seconds since 1970; now by default. */
  readonly time?: number;
  readonly body: string | Buffer;
};

const now = () => Math.floor(Date.now() / 1000);

/** The header `dlo-signature`. `headers` are those that it covers, in lower case; values are sent as UTF-8. */
export function sign(
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
