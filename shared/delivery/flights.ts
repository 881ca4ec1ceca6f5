import type { Outcome } from './targets/outcome.ts';

/** `unclear`: no other delivery has shown it. */
export type Whose = 'target' | 'event' | 'unclear';

export type Flight = {
  readonly outcome: Promise<Outcome>;
  /** Whose limit has refused it for so many seconds. Waits for the deliveries in flight that began later. */
  readonly whoseLimit: (seconds: number) => Promise<Whose>;
};

/** For each acceptance: a target that refuses more of those after the first refusal takes no more. */
const maxRefused = 10;

/** Watches the deliveries to one target in the order in which they begin. */
export function watchFlights() {
  const inFlight = new Map<number, Promise<Outcome>>();
  let begun = 0;
  /** Counts refusals, and who was accepted after the first one, until the time is over that it named. */
  let since = { place: 0, until: 0, refused: 0, accepted: 0 };
  return (sending: Promise<Outcome>): Flight => {
    begun += 1;
    const place = begun;
    const outcome = sending.then((known) => {
      inFlight.delete(place);
      if (known.kind === 'delivered' && place > since.place) since.accepted += 1;
      return known;
    });
    inFlight.set(place, outcome);
    const whoseLimit = async (seconds: number) => {
      const now = performance.now();
      if (now >= since.until) since = { place, until: now + seconds * 1000, refused: 0, accepted: 0 };
      since.refused += 1;
      await Promise.all([...inFlight].flatMap(([other, each]) => (other > place ? [each] : [])));
      if (since.refused <= since.accepted * maxRefused) return 'event';
      return since.refused > 1 ? 'target' : 'unclear';
    };
    return { outcome, whoseLimit };
  };
}
