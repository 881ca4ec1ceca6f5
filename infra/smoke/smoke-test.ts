import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openApi } from './open-api.ts';

/** The outputs of a stack that the test needs. */
export type Outputs = {
  readonly urls: { readonly capture: string; readonly replay: string };
  readonly captureTopic: string;
  readonly next: { readonly retryNow: string };
};

export type SmokeDeps = {
  readonly outputs: Outputs;
  /** Runs gcloud and returns its output. Throws an Error with its messages if it fails. */
  readonly gcloud: (args: readonly string[]) => Promise<string>;
  /** Called after each step. */
  readonly report: (step: string) => void;
  readonly timeoutSeconds: number;
};

type Event = { readonly id: string; readonly status: string };
type Attempts = { readonly items: readonly { readonly outcome: string | null }[] };
type Run = { readonly id: string; readonly status: string };

const reason = 'Smoke test';
const payload = { smokeTest: true };

/**
 * Captures two events of a type through Pub/Sub and over HTTP, waits for a delivery of each by the schedule,
 * replays them, and discards what is still open. With an empty type the events match no route: they are
 * captured and discarded only. The target receives `{"smokeTest": true}` and may reject it: a rejected
 * delivery is a delivery, too. Throws an Error that names the step that failed.
 */
export async function runSmokeTest(deps: SmokeDeps, eventType: string): Promise<void> {
  const { outputs, gcloud, report } = deps;
  const api = openApi(outputs.urls.replay, gcloud);
  const ids = ['pubsub', 'http'].map((way) => `smoke-${way}-${randomBytes(6).toString('hex')}`);
  const filter = { eventId: ids };
  const list = async () =>
    (await api.get<{ items: Event[] }>(`/events?filter=${encodeURIComponent(JSON.stringify(filter))}`)).items;
  const [published = '', sent = ''] = ids;
  const type = eventType || 'dead-letter-office.smoke';

  await publish(deps, type, published);
  await send(deps, type, sent);
  await waitUntil(deps, 'both events were captured', async () => (await list()).length === 2);
  report('captured an event through Pub/Sub and one over HTTP');

  if (eventType) {
    const events = await list();
    const count = async ({ id }: Event) => (await api.get<Attempts>(`/events/${id}/attempts`)).items.length;
    const isDelivered = async (least: number) =>
      (await Promise.all(events.map(count))).every((n) => n >= least);
    const [, ...retryNow] = outputs.next.retryNow.split(' ');
    await gcloud(retryNow);
    await waitUntil(deps, `both events were delivered; does a route match ${type}?`, () => isDelivered(1));
    report(`delivered them by the schedule: ${await describeStatus(list)}`);

    const run = await api.post<Run>('/runs', { filter, reason, includeSucceeded: true, gate: false });
    await waitUntil(deps, `run ${run.id} replayed both events`, () => isDelivered(2));
    report(`replayed them in run ${run.id}: ${await describeStatus(list)}`);
  }

  await api.post('/events/discard', { filter, reason });
  report(`cleaned up: ${await describeStatus(list)}`);
}

async function publish({ outputs, gcloud }: SmokeDeps, type: string, id: string): Promise<void> {
  const message = `--message=${JSON.stringify(payload)}`;
  const attributes = `--attribute=eventType=${type},event_id=${id}`;
  await gcloud(['pubsub', 'topics', 'publish', outputs.captureTopic, message, attributes]);
}

async function send({ outputs, gcloud }: SmokeDeps, type: string, id: string): Promise<void> {
  const token = (await gcloud(['auth', 'print-identity-token'])).trim();
  const response = await fetch(outputs.urls.capture, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    // A report of a consumer: docs/capture.md.
    body: JSON.stringify({ eventType: type, eventId: id, payload, error: reason }),
  });
  if (response.ok) return;
  const remedy =
    response.status === 403
      ? ' Run it as an owner of the project, or add yourself to sources, with kind: caller.'
      : '';
  throw new Error(`Capture answered ${response.status}: ${(await response.text()).slice(0, 300)}${remedy}`);
}

async function waitUntil(
  { timeoutSeconds }: SmokeDeps,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const until = Date.now() + timeoutSeconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > until)
      throw new Error(`Timed out after ${timeoutSeconds} s, before ${what}. next.readLogs has the reason.`);
    await pause(1000);
  }
}

async function describeStatus(list: () => Promise<readonly Event[]>): Promise<string> {
  return (await list()).map(({ status }) => status).join(', ');
}
