import type { Outcome } from './targets/outcome.ts';

export type Flight = {
  readonly outcome: Promise<Outcome>;
  /** Whether a delivery that began later was accepted. Waits for those in flight. */
  readonly isPassed: () => Promise<boolean>;
};

/** Watches the deliveries to one target in the order in which they begin. */
export function watchFlights() {
  const inFlight = new Map<number, Promise<Outcome>>();
  const latest = { begun: 0, accepted: 0 };
  return (sending: Promise<Outcome>): Flight => {
    latest.begun += 1;
    const place = latest.begun;
    const outcome = sending.then((known) => {
      inFlight.delete(place);
      if (known.kind === 'delivered') latest.accepted = Math.max(latest.accepted, place);
      return known;
    });
    inFlight.set(place, outcome);
    const isPassed = async () => {
      await Promise.all([...inFlight].flatMap(([other, each]) => (other > place ? [each] : [])));
      return latest.accepted > place;
    };
    return { outcome, isPassed };
  };
}
