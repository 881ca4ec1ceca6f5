// One measurement in a process of its own, so that its CPU time is that of one client.
//   node bench/peers/work.ts SYSTEM install|capture|DRAIN URL [messages] [bytes]   prints the seconds and the CPU seconds as JSON
import { randomBytes } from 'node:crypto';
import { systems } from './systems.ts';

const [name, work = '', url = '', messages = '0', bytes = '0'] = process.argv.slice(2);
const system = systems.find((each) => each.name === name);
if (!system) throw new Error(`No system is called ${name}.`);

const run = choose();
const cpu = process.cpuUsage();
const startedAt = performance.now();
await run();
const { user, system: kernel } = process.cpuUsage(cpu);
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ seconds, cpuSeconds: (user + kernel) / 1e6 }));
process.exit();

function choose(): () => Promise<void> {
  if (work === 'install') return () => system?.install(url) ?? Promise.reject();
  if (work !== 'capture')
    return () => system?.drains[work]?.(url) ?? Promise.reject(new Error(`No drain ${work}.`));
  const list = Array.from({ length: Number(messages) }, (_, n) => makeMessage(n, Number(bytes)));
  return () => system?.capture(url, list) ?? Promise.reject();
}

/** An order of about the given size, of which half compresses. */
function makeMessage(orderId: number, size: number): string {
  const rest = Math.max(size - 60, 0);
  const note = randomBytes(Math.floor(rest / 4)).toString('hex');
  return JSON.stringify({ orderId, note, lines: 'item '.repeat(Math.floor(rest / 10)) });
}
