import { timeoutSeconds } from '../behaviors.ts';
import { leaseSeconds } from '../deployment.ts';
import type { Delivery, Fault, Request } from '../ledger.ts';
import type { Seen } from '../seen.ts';
import { stall } from '../stalls.ts';

/** An event that a target accepted, and accepted again. `why` is undefined if nothing explains it. */
export type Double = {
  readonly row: string;
  readonly first: Delivery;
  readonly next: Delivery;
  readonly why: string | undefined;
};

const leaseMs = leaseSeconds * 1000;

/** Returns the deliveries whose settlement is recorded, by the answers of the target. */
export function findSettled({ attempts }: Pick<Seen, 'attempts'>): Set<string> {
  const delivered = attempts.filter(({ outcome }) => outcome === 'delivered');
  return new Set(delivered.flatMap(({ response }) => response ?? []));
}

/**
 * Finds every double, and the fault between acceptance and settlement that explains it: one of the exchange
 * itself, of the worker that delivered it, of its row, or of the whole database. If the first delivery is
 * settled, only an operator's request explains another one, or a late delivery by a worker that was held up.
 */
export function findDoubles(seen: Seen): Double[] {
  const settled = findSettled(seen);
  const { deliveries, faults } = seen.ledger;
  // Inflicted faults first: a stall may be their result.
  const rank = ({ kind, at }: Fault) => at + (kind === stall ? 1e13 : 0);
  const effective = faults.filter(({ effect }) => effect !== undefined).sort((a, b) => rank(a) - rank(b));
  const unused = new Set(listRequests(seen));
  const accepted = deliveries.filter(({ acceptedAt }) => acceptedAt !== undefined);
  const isSettled = ({ id }: Delivery) => settled.has(id);

  const explainSettled = (next: Delivery) => {
    const request = [...unused].find(({ row, at }) => row === next.row && at < next.arrivedAt);
    if (request) unused.delete(request);
    if (request || isSettled(next)) return request && nameOf(request);
    const late = { ...next, from: next.arrivedAt - 2 * leaseMs, to: next.arrivedAt + 2 * leaseMs };
    return findFault(effective, late)?.kind;
  };
  const explain = (first: Delivery, next: Delivery) =>
    isSettled(first)
      ? explainSettled(next)
      : (first.fault ??
        findFault(effective, { ...first, from: first.arrivedAt, to: next.arrivedAt })?.kind ??
        (arrivedLate(seen, first) ? 'the request arrived late' : undefined));

  return [...Map.groupBy(accepted, ({ row }) => row)].flatMap(([row, all]) =>
    all.slice(1).map((next, i) => {
      const first = all[i] as Delivery;
      return { row, first, next, why: explain(first, next) };
    }),
  );
}

/** Requests of operators and senders. */
function listRequests({ ledger: { requests, repetitions }, events }: Seen): Request[] {
  const stored = new Map(events.map(({ id, name }) => [name, id]));
  const by = 'a sender repeats a request without a key';
  return [
    ...requests,
    ...repetitions.flatMap(({ event: { name, rows }, at }) =>
      [...new Set([...rows, stored.get(name) ?? 'none'])].map((row) => ({ row, at, by })),
    ),
  ];
}

/**
 * Whether a request arrived when half of its time was over: on a busy machine its worker had stopped to wait
 * for the answer before it came.
 */
function arrivedLate({ attempts }: Pick<Seen, 'attempts'>, { row, arrivedAt }: Delivery): boolean {
  const timeoutMs = timeoutSeconds * 1000;
  return attempts.some(({ event_id, outcome, at, error }) => {
    const lateMs = event_id === row && outcome === 'ambiguous' ? arrivedAt - at : 0;
    return lateMs >= timeoutMs / 2 && lateMs < 2 * leaseMs && error?.startsWith('no answer') === true;
  });
}

/** The reasons of requests are numbered. */
const nameOf = ({ by }: Request): string => by.replace(/ \d+$/, '');

type Window = Pick<Delivery, 'worker' | 'row'> & { readonly from: number; readonly to: number };

function findFault(faults: readonly Fault[], { worker, row, from, to }: Window): Fault | undefined {
  const hits = ({ workers, rows }: Fault) =>
    workers === 'all' || workers.includes(worker) || (workers.length === 0 && rows.includes(row));
  const lasts = ({ until, isFatal }: Fault) => until >= from || isFatal;
  return faults.find((fault) => fault.at <= to && lasts(fault) && hits(fault));
}
