import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { countOf } from '../../../shared/count-of.ts';
import type { EventSummary, Page } from '../api/answers.ts';
import { ApiError } from '../api/api-error.ts';
import { followEvents } from '../api/follow-events.ts';
import type { Command, Context } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { codeOf } from '../exit-codes.ts';
import { toLine } from '../terminal/table.ts';

type Message = {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly bodyBase64: string;
};
type Delivered = {
  readonly id: string;
  readonly eventType: string;
  readonly status: number | null;
  readonly ms: number;
};

export const listenCommand: Command = {
  name: 'listen',
  operation: 'showMessage',
  summary: 'Deliver copies of events to this machine',
  description:
    'Posts each new event, with its exact bytes and headers, to a port of this machine. Nothing changes: ' +
    'no attempt is recorded, and the event waits as before. Ctrl-C ends it.',
  arguments: [
    { name: '<port>', text: 'The port that your program listens on.' },
    { name: '[filter]', text: 'Only events that it selects: `type:order.*`, `id:42`.' },
  ],
  own: [
    { flags: '--path <path>', text: 'The path of the request; / by default.' },
    { flags: '--existing', text: 'Delivers the latest 100 events that match now, and ends.' },
  ],
  examples: [
    'dlo listen 3000',
    "dlo listen 3000 'type:order.*' --path /orders",
    "dlo listen 3000 'id:42' --existing",
  ],
  run: async (context, { own: { port, filter: q, path = '/', existing } }) => {
    const url = toUrl(String(port), String(path));
    const { api, terminal, signal } = context;
    const onReady = () => terminal.note(`Copies of new events go to ${url}. Ctrl-C ends it.`);
    const events = existing ? listExisting(context, q) : followEvents(api, { q, last: 0, signal, onReady });
    let failed = 0;
    for await (const event of events) {
      const delivered = await deliverCopy(context, event, url).catch((error: unknown) => {
        // One whose message is masked, too large or gone is not the end of the others.
        if (!(error instanceof ApiError)) throw error;
        terminal.note(error.message);
        return undefined;
      });
      if (!isSuccess(delivered?.status ?? null)) failed += 1;
      if (delivered) print(context, delivered);
    }
    return failed > 0 ? codeOf('partial') : codeOf('done');
  },
};

function toUrl(port: string, path: string): string {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536;
  if (!isPort) throw new CommandError('usage', `"${port}" is no port: give a number from 1 to 65535.`);
  const machine = new URL(`http://localhost:${port}`);
  const url = URL.canParse(path, machine.href) ? new URL(path, machine) : undefined;
  // `//host/` and `http://host/` would send the events to another machine.
  if (url?.origin === machine.origin) return url.href;
  throw new CommandError('usage', `--path "${path}" is no path: give one of this machine, such as /orders.`);
}

async function* listExisting({ api, terminal }: Context, q: unknown): AsyncGenerator<EventSummary> {
  const { items, next } = await api.call<Page<EventSummary>>('listEvents', { q, limit: 100 });
  if (next !== null) terminal.note(`Only the latest ${countOf(items.length, 'event')} of those that match.`);
  yield* items.toReversed();
}

async function deliverCopy(
  { api, signal }: Context,
  { id, eventType }: EventSummary,
  url: string,
): Promise<Delivered> {
  const message = await api.call<Message>('showMessage', { id });
  const began = Date.now();
  // A program that restarts after a change is back within a moment.
  const status = await post(url, message).catch(async () => {
    await delay(1000, undefined, { signal });
    return post(url, message).catch(() => null);
  });
  return { id, eventType, status, ms: Date.now() - began };
}

/** Sends the message and nothing else: `fetch` adds headers of its own. Returns the status. */
async function post(url: string, { headers, bodyBase64 }: Message): Promise<number> {
  const body = Buffer.from(bodyBase64, 'base64');
  const sent = request(url, {
    method: 'POST',
    agent: false,
    headers: [
      ...['host', new URL(url).host, 'content-length', String(body.length)],
      ...headers.flatMap(({ name, value }) => [name, value]),
    ],
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function print({ terminal }: Context, delivered: Delivered): void {
  const { id, eventType, status, ms } = delivered;
  if (!terminal.isText) {
    terminal.printJson(delivered);
    return;
  }
  const answer = status === null ? 'nothing listens' : String(status);
  const time = new Date().toTimeString().slice(0, 8);
  const color = isSuccess(status) ? 'green' : 'red';
  terminal.print(`${time}  ${id}  ${toLine(eventType)}  `, [color, answer], `  ${ms} ms`);
}
