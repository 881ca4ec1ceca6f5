import { setTimeout as pause } from 'node:timers/promises';
import { attacks } from './attacks.ts';

// A process of its own: node attacker.ts URL SECRET ATTACK. Repeats an attack, one wave a second, until it is killed. Writes a line when it begins.
const [url = '', secret = '', name = ''] = process.argv.slice(2);
console.log('ready');
for (;;) {
  const end = await attacks[name]?.({ url, secret });
  await pause(1000);
  end?.();
}
