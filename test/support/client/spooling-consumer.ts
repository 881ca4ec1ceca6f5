import { deadLetters } from '../../../packages/client/client.ts';

// A consumer in a process of its own, which fails for each message and prints the id of each one that it
// acknowledges, or "left".
const [capture = '', folder = '', ids = ''] = process.argv.slice(2);
const client = deadLetters({
  ...{ capture, consumer: 'billing', spool: { folder }, timeoutMs: 60_000, attempts: 1, warn: console.error },
  from: (id: string) => ({ body: id, eventId: id }),
});
const handle = client.wrap((id) => {
  throw new Error(`no stock for ${id}`);
});
for (const id of ids.split(',').filter((each) => each !== '')) {
  await handle(id).then(
    () => console.log(id),
    () => console.log('left'),
  );
}
await client.flush();
console.log('sent');
setInterval(() => {}, 60_000);
