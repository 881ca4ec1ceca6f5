/** An order of the shop. Every 14th is invalid. */
export type Order = {
  readonly orderId: string;
  /** The prefix tells the demo's events from others, in every list, and routes them. */
  readonly eventType: 'demo.order.placed' | 'demo.order.amended';
  readonly customer: string;
  readonly total?: number;
  readonly currency: string;
  readonly placedAt: string;
};

const customers = ['ada', 'boris', 'chiara', 'dmitri', 'edith', 'farid', 'greta', 'hiro', 'ines', 'jonas'];

/** Every 14th order cannot be charged; the first of them is the 4th. */
const flawedEvery = 14;
const firstFlawed = 4;

const flaws = [{ total: undefined }, { currency: 'XBT' }, { total: -12.75 }];

/** Returns the `n`-th order of this start. Its id contains the time, so that it is new after each restart. */
export function makeOrder(n: number, now: Date): Order {
  const flaw = n % flawedEvery === firstFlawed ? flaws[Math.floor(n / flawedEvery) % flaws.length] : {};
  return {
    orderId: `A-${now.getTime().toString(36).toUpperCase()}-${n}`,
    eventType: n % 5 === 0 ? 'demo.order.amended' : 'demo.order.placed',
    customer: customers[(n * 7) % customers.length] ?? '',
    total: ((n * 5) % 9) * 25 + 12.75,
    currency: n % 3 === 0 ? 'USD' : 'EUR',
    placedAt: now.toISOString(),
    ...flaw,
  };
}

/** Returns the reason why an order can never be charged, or undefined if it can. */
export function findFlaw({ orderId, total, currency }: Partial<Order>): string | undefined {
  if (typeof orderId !== 'string') return 'orderId is missing';
  if (typeof total !== 'number') return `order ${orderId} has no total`;
  if (total <= 0) return `total ${total} of order ${orderId} is not positive`;
  return currency === 'EUR' || currency === 'USD' ? undefined : `currency ${currency} is not accepted`;
}
