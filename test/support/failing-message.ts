import assert from 'node:assert/strict';
import type { Capture } from '../../shared/capture/message.ts';
import type { EventState, openDays } from './days.ts';

/**
 * Facts that voices report: `all`: publications, tokens and times come back; `some`: tokens come back, reports
 * name no publication; `little`: there are reports only, which say which message failed.
 */
export type Style = 'all' | 'some' | 'little';

/** A failure as it truly was: of a publication, or of a delivery of ours. */
type Truth = {
  readonly id: number;
  readonly failed: number;
  readonly delivery: number | null;
  readonly published: number | null;
  readonly isPermanent: boolean;
  isTold: boolean;
  isGivenUp: boolean;
};

/** A report or copy of a failure, sent from the minute `due` on. */
type Voice = {
  readonly due: number;
  readonly truth: Truth;
  readonly failed: number;
  /** The token that the redelivery of each twin carries. */
  readonly redelivered: ReadonlyMap<string, Partial<Capture>>;
  readonly copy: string | null;
  readonly consumer: string | null;
};

export type Context = {
  readonly days: ReturnType<typeof openDays>;
  readonly random: () => number;
  readonly style: Style;
  readonly note: (text: string) => void;
  readonly log: () => string;
};

/**
 * A message that fails, played as two events: its captures come one by one to the first, in batches to the
 * second.
 */
export type FailingMessage = ReturnType<typeof openMessage>;

const twins = ['single', 'batched'] as const;

export function openMessage(name: string, { days, random, style, note, log }: Context) {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const truths: Truth[] = [];
  const voices: Voice[] = [];
  const events = new Map<string, string>();
  const broker = pick(['pubsub', 'kafka']);
  const isMixed = pick([true, false]);
  let deliveredAt = Number.NEGATIVE_INFINITY;

  const consumer = () => (isMixed ? pick([null, 'billing']) : 'billing');
  const coordinates = (published: number) =>
    broker === 'kafka' ? `kafka:${name}/0/${published}` : undefined;

  /**
   * Adds a failure and all that will report it: a report for each of the consumer's own retries, copies of the
   * broker.
   */
  function fail(
    facts: Pick<Truth, 'failed' | 'delivery' | 'published'>,
    redelivered = new Map<string, Partial<Capture>>(),
    mustCopy = false,
  ) {
    const truth: Truth = {
      ...facts,
      id: truths.length,
      isPermanent: random() < 0.15,
      isTold: false,
      isGivenUp: false,
    };
    truths.push(truth);
    const isReported = style === 'little' || (!mustCopy && random() < 0.8);
    const retries = style === 'all' ? pick([1, 1, 3]) : 1;
    const add = (voice: Omit<Voice, 'truth' | 'redelivered' | 'consumer'>) =>
      voices.push({ ...voice, truth, redelivered, consumer: consumer() });
    for (let i = 0; isReported && i < retries; i++)
      add({ due: truth.failed + i * pick([3, 90, 400]), failed: truth.failed, copy: null });
    if (style === 'little' || (isReported && random() < 0.3)) return;
    const gaveUp = truth.failed + pick([1, 30, 500]);
    const copies = pick([1, 1, 2]);
    for (let i = 0; i < copies; i++)
      add({ due: gaveUp + pick([0, 2, 300]), failed: gaveUp, copy: `copy-${name}-${truth.id}-${i}` });
  }

  function toCapture(voice: Voice, twin: (typeof twins)[number]): Partial<Capture> {
    const { copy, failed } = voice;
    return {
      eventKey: `id:${name}-${twin}`,
      ...(style === 'little' ? {} : voice.redelivered.get(twin)),
      consumerGroup: voice.consumer,
      publication: tellPublication(voice),
      failedAt: style === 'all' ? days.at(failed) : null,
      ...(copy === null ? toReport(voice) : { deliveryId: `${copy}-${twin}` }),
    };
  }

  function tellPublication({ truth: { published }, copy }: Voice): string | null {
    const isTold = style === 'all' || (style === 'some' && copy !== null);
    if (published === null || !isTold) return null;
    const isTimeless = broker === 'kafka' && copy === null;
    return days.publication(isTimeless ? null : published, coordinates(published));
  }

  const toReport = ({ truth }: Voice): Partial<Capture> => ({
    origin: 'report',
    errorReason: `failure ${truth.id}`,
    errorKind: truth.isPermanent && style === 'all' ? 'permanent' : null,
  });

  const show = async (twin: string): Promise<EventState | undefined> => {
    const id = events.get(twin);
    return id === undefined ? undefined : days.show(id);
  };

  /** The event must be so after one voice. */
  function check(voice: Voice, before: EventState | undefined, after: EventState) {
    if (before === undefined) return;
    if (style === 'all' && (voice.truth.isTold || isOlder(voice, after)))
      checkUncounted(voice, before, after);
    if (!voice.truth.isTold && isLatest(voice, after) && before.status === 'SUCCEEDED')
      assert.notEqual(after.status, 'SUCCEEDED', `not heard: ${log()}`);
  }

  function checkUncounted({ truth }: Voice, before: EventState, after: EventState) {
    const [was, is] = [before, after].map(({ failures, retries, status }) => ({ failures, retries, status }));
    const isDecided = was?.status === 'PENDING' && is?.status === 'FAILED_PERMANENTLY' && truth.isPermanent;
    assert.deepEqual(isDecided ? { ...is, status: 'PENDING' } : is, was, `told again or older: ${log()}`);
  }

  /** The number of the delivery cannot be known before its failure: an older one is no news. */
  const isOlder = ({ truth, failed }: Voice, { deliveries }: EventState) =>
    truth.delivery === null
      ? truth.failed < deliveredAt && failed < deliveredAt
      : truth.delivery < deliveries;

  function isLatest({ truth, copy }: Voice, { deliveries }: EventState): boolean {
    // A copy without a time of failure may be another voice of any report after its publication, unless that
    // is later than our delivery.
    const since = style === 'some' && copy !== null ? (truth.published ?? 0) : truth.failed;
    return truth.delivery === null ? since > deliveredAt : truth.delivery === deliveries;
  }

  return {
    /** The application publishes the message, again or for the first time, and its consumer fails. */
    async publish(): Promise<void> {
      // No two publications have one time.
      await days.pass(1);
      note(`${name} published, fails`);
      fail({ failed: days.now() + 1, delivery: null, published: days.now() });
    },

    /** Somebody rewinds the subscription; the broker gave the publication up, and does so again. */
    rewind(): void {
      const truth = truths.findLast(({ published, isGivenUp }) => published !== null && isGivenUp);
      const isWaiting = voices.some((voice) => voice.truth.published === truth?.published);
      if (style !== 'all' || truth === undefined || isWaiting) return;
      note(`${name} rewound, fails`);
      fail({ failed: days.now() + 11, delivery: null, published: truth.published }, undefined, true);
    },

    /**
     * The target refuses or accepts the open event, and its consumer may fail later. A replay sends a closed
     * one, too.
     */
    async deliver(isReplay: boolean): Promise<void> {
      const status = (await show('single'))?.status;
      if (status === undefined || (status !== 'PENDING' && !isReplay)) return;
      const ending = pick(['refused', 'accepted', 'accepted', 'fails later']);
      note(`${name} ${isReplay ? 'replayed' : 'delivered'}: ${ending}`);
      const ids = [...events.values()];
      await days.deliver(ids, ending !== 'refused');
      deliveredAt = days.now();
      if (ending !== 'fails later') return;
      const redelivered = new Map<string, Partial<Capture>>();
      for (const [twin, id] of events) redelivered.set(twin, await days.redelivered(id));
      const delivery = redelivered.get('single')?.attempt ?? 0;
      fail({ failed: days.now() + pick([1, 60]), delivery, published: null }, redelivered);
    },

    /** An operator changes the status, or edits the payload in SQL. */
    async operate(): Promise<void> {
      const ids = [...events.values()];
      const act = pick(['DISCARDED', 'PENDING', 'edited']);
      note(`${name} operator: ${act}`);
      await days.operate(ids, act);
    },

    /** Takes up to five voices whose time has come, in any order. */
    takeVoices(): Voice[] {
      const taken: Voice[] = [];
      for (let i = pick([1, 1, 2, 5]); i > 0; i--) {
        const due = voices.filter((voice) => voice.due <= days.now());
        if (due.length === 0) break;
        const voice = pick(due);
        voices.splice(voices.indexOf(voice), 1);
        taken.push(voice);
      }
      return taken;
    },

    async tellOneByOne(taken: readonly Voice[]): Promise<void> {
      for (const voice of taken) {
        const before = await show('single');
        note(`${name} told: ${JSON.stringify({ ...voice, truth: voice.truth.id, redelivered: undefined })}`);
        const stored = await days.capture(
          toCapture(voice, 'single'),
          style === 'all' ? voice.failed : undefined,
        );
        assert.equal(stored.id, before?.id ?? stored.id, log());
        events.set('single', stored.id);
        check(voice, before, await days.show(stored.id));
        voice.truth.isTold = true;
        voice.truth.isGivenUp ||= voice.copy !== null;
      }
    },

    toBatch: (taken: readonly Voice[]) => taken.map((voice) => toCapture(voice, 'batched')),

    async compareTwins(id: string | undefined): Promise<void> {
      if (id !== undefined) events.set('batched', id);
      const [single, batched] = [await show('single'), await show('batched')];
      const { id: _, ...expected } = single ?? {};
      const { id: __, ...actual } = batched ?? {};
      assert.deepEqual(actual, expected, `in a batch another result: ${log()}`);
    },

    isSilent: () => voices.length === 0,

    /** In the end each failure was heard, and none was counted twice. */
    async end(): Promise<void> {
      const event = await show('single');
      if (style === 'all' && event)
        assert.ok(event.failures <= truths.length, `${event.failures} of ${truths.length}: ${log()}`);
    },
  };
}
