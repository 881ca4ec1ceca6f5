/** An order of the shop. Every 14th is invalid. */
export type Order = {
  readonly orderId: string;
  /** The prefix tells the demo's events from others, in every list, and routes them. */
  readonly eventType: 'demo.order.placed' | 'demo.order.amended';
  readonly customer: string;
  readonly items: readonly { readonly sku: string; readonly quantity: number; readonly price: number }[];
  readonly total?: number;
  readonly currency: string;
  readonly placedAt: string;
};

const customers = ['ada', 'boris', 'chiara', 'dmitri', 'edith', 'farid', 'greta', 'hiro', 'ines', 'jonas'];
const goods = [
  ['LAMP-BRASS', 89.9],
  ['RUG-KILIM', 249],
  ['CHAIR-OAK', 129.5],
  ['VASE-BLUE', 34],
  ['DESK-WALNUT', 599],
  ['MUG-STONE', 12.75],
] as const;

/** Every 14th order cannot be charged; the first of them is the 4th. */
const flawedEvery = 14;
const firstFlawed = 4;

const flaws: readonly ((order: Order) => Order)[] = [
  ({ total: _, ...order }) => order,
  (order) => ({ ...order, currency: 'XBT' }),
  (order) => ({ ...order, total: -1 * (order.total ?? 0) }),
  (order) => ({ ...order, items: [] }),
];

/** Returns the `n`-th order of this start. Its id contains the time, so that it is new after each restart. */
export function makeOrder(n: number, now: Date): Order {
  const items = Array.from({ length: 1 + (n % 3) }, (_, i) => {
    const [sku, price] = pick(goods, n * 5 + i);
    return { sku, quantity: 1 + ((n + i) % 2), price };
  });
  const order: Order = {
    orderId: `A-${now.getTime().toString(36).toUpperCase()}-${n}`,
    eventType: n % 5 === 0 ? 'demo.order.amended' : 'demo.order.placed',
    customer: pick(customers, n * 7),
    items,
    total: Math.round(items.reduce((sum, { quantity, price }) => sum + quantity * price, 0) * 100) / 100,
    currency: n % 3 === 0 ? 'USD' : 'EUR',
    placedAt: now.toISOString(),
  };
  return n % flawedEvery === firstFlawed ? pick(flaws, Math.floor(n / flawedEvery))(order) : order;
}

/** Returns the reason why an order can never be charged, or undefined if it can. */
export function findFlaw(order: Partial<Order>): string | undefined {
  if (typeof order.orderId !== 'string') return 'orderId is missing';
  if (typeof order.total !== 'number') return `order ${order.orderId} has no total`;
  if (order.total <= 0) return `total ${order.total} of order ${order.orderId} is not positive`;
  if (!order.items?.length) return `order ${order.orderId} has no items`;
  if (order.currency !== 'EUR' && order.currency !== 'USD')
    return `currency ${order.currency} is not accepted`;
  return undefined;
}

function pick<T>(list: readonly [T, ...T[]] | readonly T[], n: number): T {
  return list[n % list.length] as T;
}
