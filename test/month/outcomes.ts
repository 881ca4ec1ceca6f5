import type { Scene, Told } from './scene.ts';
import { refusalOf, type Sent } from './target.ts';

/** The outcomes of the events of a scene. Waits are in ticks; Infinity: never sent. */
export type Outcome = {
  readonly scene: string;
  readonly healthy: number;
  readonly waits: readonly number[];
  /** Healthy events that were not sent when the days were over. */
  readonly never: number;
  readonly failedPermanently: number;
  /** The most requests in one tick to a target that was not well, and of sick events that had been sent before. */
  readonly requestsWhileDown: number;
  readonly requestsOfSick: number;
  readonly refusals: number;
  readonly sentTwice: number;
  readonly longestTickSeconds: number;
};

type Played = { readonly told: readonly Told[]; readonly sent: readonly Sent[]; readonly ticks: number };

/** Judges what the target of a scene was sent. */
export function judge(scene: Scene, { told, sent, ticks }: Played) {
  const accepted = Map.groupBy(
    sent.filter(({ isAccepted }) => isAccepted),
    (each) => each.told.n,
  );
  // On an ordered route an event waits for the earlier ones of its key.
  const earlier = new Map<string | undefined, number>();
  const healthy = told.flatMap((event) => {
    const key = scene.isOrdered ? event.key : undefined;
    const from = Math.max(event.tick, (key !== undefined && earlier.get(key)) || 0);
    const at = firstTick(scene, { ...event, tick: from }, ticks);
    earlier.set(key, at ?? Infinity);
    return at === undefined ? [] : [{ event, at }];
  });
  const waits = healthy.map(({ event, at }) => (accepted.get(event.n)?.[0]?.tick ?? Infinity) - at);
  const seen = new Set<number>();
  const again = sent.filter(({ told: { n } }) => seen.has(n) || !seen.add(n));
  return {
    scene: scene.name,
    healthy: healthy.length,
    waits: waits.toSorted((a, b) => a - b),
    never: waits.filter((wait) => wait === Infinity).length,
    requestsWhileDown: most(sent.filter(({ told: event, tick }) => scene.isUp?.(tick, event) === false)),
    requestsOfSick: most(again.filter(({ told: { sickUntil }, tick }) => tick < sickUntil)),
    refusals: sent.filter(({ isLimit }) => isLimit).length,
    sentTwice: [...accepted.values()].filter((each) => each.length > 1).length,
  };
}

/** The first tick in which the target would take an event. */
export function firstTick(scene: Scene, event: Told, ticks: number): number | undefined {
  for (let tick = event.tick; tick < ticks; tick += 1)
    if (refusalOf(scene, event, tick) === undefined) return tick;
  return undefined;
}

/** The most requests in one tick. */
function most(sent: readonly Sent[]): number {
  return Math.max(0, ...[...Map.groupBy(sent, ({ tick }) => tick).values()].map((each) => each.length));
}
