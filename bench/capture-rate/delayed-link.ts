// A proxy to the database that delays requests, as a network does.
//   node bench/capture-rate/delayed-link.ts postgres://... milliseconds   prints the proxy's URL
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers';

const [databaseUrl = '', delayMs] = process.argv.slice(2);
const url = new URL(databaseUrl);
const { hostname, port } = url;

const server = createServer((near) => {
  const far = connect(Number(port), hostname);
  near.setNoDelay();
  far.setNoDelay();
  near.on('data', (chunk) => setTimeout(() => far.write(chunk), Number(delayMs)));
  far.pipe(near);
  for (const [end, other] of [
    [near, far],
    [far, near],
  ] as const) {
    end.on('error', () => end.destroy());
    end.on('close', () => other.destroy());
  }
}).listen(0, '127.0.0.1');
await once(server, 'listening');
url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
console.log(url.href);
