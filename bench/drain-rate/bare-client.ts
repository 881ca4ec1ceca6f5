// A client that does nothing but send: EVENTS requests like those of retry, 10 at once, as a route has by default.
import { Pool } from 'undici';

const [url = '', count = '0'] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: 10 });
const body = Buffer.from('x'.repeat(800));
const token = '0'.repeat(32);
let left = Number(count);
const sendAll = async () => {
  while (left-- > 0) {
    const headers = [
      'content-type',
      'application/json',
      'dlo-event-id',
      `${left}.${token}`,
      'dlo-attempt',
      '1',
    ];
    const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
    if ((await answer.body.text()) !== 'ok') throw new Error(`HTTP ${answer.statusCode}`);
  }
};
const startedAt = performance.now();
await Promise.all(Array.from({ length: 10 }, sendAll));
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6 }));
await pool.close();
