import type { StepName } from './stage.ts';

/** Sessions in every order of their steps: each session keeps its own order. */
export function interleave<Name>(sessions: readonly (readonly Name[])[]): Name[][] {
  const rest = sessions.filter((session) => session.length > 0);
  if (rest.length === 0) return [[]];
  return rest.flatMap((session) => {
    const [first, ...more] = session;
    const others = rest.map((each) => (each === session ? more : each));
    return interleave(others).map((order) => (first ? [first, ...order] : order));
  });
}

/**
 * The report expected of each step of an order, by the rule of the fence alone: the holder of the event
 * settles it.
 */
export function foretell(order: readonly StepName[]): string[] {
  let holder: string | undefined;
  let isLeaseOver = false;
  let isOpen = true;
  return order.map((step) => {
    const [worker = '', verb] = step.split(' ');
    if (step === 'the lease ends') {
      isLeaseOver = true;
      return '';
    }
    if (verb === 'claims') {
      // The first worker that leases recovers the lost leases of others.
      const isFree = holder === undefined || isLeaseOver;
      if (!isOpen || !isFree) return 'gets nothing';
      holder = worker;
      isLeaseOver = false;
      return 'gets it';
    }
    if (holder !== worker) return 'stale';
    holder = undefined;
    isOpen = verb === 'releases';
    return 'counts';
  });
}
