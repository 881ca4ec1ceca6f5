import { readFileSync } from 'node:fs';
import {
  aggregate,
  bundle,
  dart,
  dotnet,
  elixir,
  erlang,
  goErrors,
  group,
  perl,
  php,
  rust,
  scala,
  suppressed,
  swift,
  traceback,
} from './cause-stacks.ts';

/**
 * Causes in the words of libraries and runtimes, most of them with a neighbor of like words. In class, message
 * and stack, `{n}` is a number, `{id}` a UUID, `{ip}` an address, `{host}` a host, `{person}` a name, `{word}`
 * a word, `{caps}` a code in capitals, `{hex}` hexadecimal digits and `{min}` a minified name of one event.
 * Alternatives of a language are `{a|b}`.
 */
export type KnownCause = {
  readonly cause: string;
  readonly errorClass?: string;
  readonly message?: string;
  readonly stack?: string;
};

type Row = readonly [cause: string, errorClass: string, message: string, stack?: string];

/** Causes that only their messages tell apart. */
const byMessage: readonly Row[] = JSON.parse(readFileSync(new URL('causes.json', import.meta.url), 'utf8'));

/** Causes that only the frames of the application tell apart, or a cause within the stack. */
const byStack: readonly Row[] = [
  ['php-frames-a', 'RuntimeException', 'bad state', php('App\\Orders->place', 'Orders')],
  ['php-frames-b', 'RuntimeException', 'bad state', php('App\\Refunds->pay', 'Refunds')],
  [
    'rust-frames-a',
    '',
    'index out of bounds: the len is {n} but the index is {n}',
    rust('shop::orders::place'),
  ],
  [
    'rust-frames-b',
    '',
    'index out of bounds: the len is {n} but the index is {n}',
    rust('<shop::refunds::Pay as shop::Job>::run'),
  ],
  ['elixir-frames-a', 'RuntimeError', 'closed', elixir('Shop.Orders.place/2')],
  ['elixir-frames-b', 'RuntimeError', 'closed', elixir('anonymous fn/{n} in Shop.Refunds.pay/1')],
  ['erlang-frames-a', '', '{badmatch,{error,timeout}}', erlang('orders')],
  ['erlang-frames-b', '', '{badmatch,{error,timeout}}', erlang('refunds')],
  ['erlang-nxdomain', '', '{badmatch,{error,nxdomain}}', erlang('orders')],
  ['dart-frames-a', '', 'Bad state: No element', dart('OrderService.place')],
  ['dart-frames-b', '', 'Bad state: No element', dart('RefundService.pay.<anonymous closure>')],
  ['perl-frames-a', '', 'closed at /app/{n}/lib/Shop/Store.pm line {n}.', perl('Shop::Store::place')],
  ['perl-frames-b', '', 'closed at /app/{n}/lib/Shop/Store.pm line {n}.', perl('Shop::Store::refund')],
  ['swift-frames-a', '', 'Fatal error: Index out of range', swift('Shop.OrderStore.place(_:) throws -> ()')],
  ['swift-frames-b', '', 'Fatal error: Index out of range', swift('Shop.RefundStore.pay(_:) throws -> ()')],
  ['go-errors-a', '', 'connection closed', goErrors('github.com/acme/shop/orders.(*Store).Place')],
  ['go-errors-b', '', 'connection closed', goErrors('github.com/acme/shop/refunds.(*Store).Pay')],
  ['py-group-a', '', '', group('place')],
  ['py-group-b', '', '', group('refund')],
  ['py-traceback-a', '', traceback('total')],
  ['py-traceback-b', '', traceback('currency')],
  ['node-aggregate-a', 'AggregateError', '', aggregate(5432)],
  ['node-aggregate-b', 'AggregateError', '', aggregate(6379)],
  ['node-ipv6-a', 'Error', 'connect ECONNREFUSED {::1|127.0.0.1|2001:db8::7|::1}:5432'],
  ['node-ipv6-b', 'Error', 'connect ECONNREFUSED {::1|127.0.0.1|2001:db8::7|::1}:6379'],
  ['java-loader-a', 'java.io.IOException', 'broken pipe', suppressed('Orders.place')],
  ['java-loader-b', 'java.io.IOException', 'broken pipe', suppressed('Refunds.pay')],
  ['net-async-a', 'System.InvalidOperationException', 'closed', dotnet('PlaceAsync')],
  ['net-async-b', 'System.InvalidOperationException', 'closed', dotnet('RefundAsync', '{bei|at|at|bei}')],
  ['node-bundle-a', 'Error', 'closed', bundle('place')],
  ['node-bundle-b', 'Error', 'closed', bundle('refund')],
  ['scala-a', 'java.lang.IllegalStateException', 'closed', scala('place')],
  ['scala-b', 'java.lang.IllegalStateException', 'closed', scala('refund')],
];

export const causes: readonly KnownCause[] = [...byStack, ...byMessage].map(
  ([cause, errorClass, message, stack = '']) => {
    return {
      cause,
      ...(errorClass !== '' && { errorClass }),
      ...(message !== '' && { message }),
      ...(stack !== '' && { stack }),
    };
  },
);
