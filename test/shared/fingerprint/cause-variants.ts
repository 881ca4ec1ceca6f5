import type { KnownCause } from './causes.ts';

const numbers = [7, 31_004, 122, 99_871_234];
const samples: Readonly<Record<string, readonly string[]>> = {
  id: ['0b1e5a52-0c7e-4e64-9b1a-6f2c8a4d9e01', '9f8e7d6c-1234-4abc-8def-0123456789ab'],
  ip: ['10.2.3.4', '172.17.0.9', '192.168.7.21', '10.0.0.8'],
  host: ['db-1.internal', 'db-2.internal', 'db-17.internal'],
  person: ['Ana Lima', 'Zoë Müller', 'Bob', "Seán O'Neill"],
  word: ['blue', 'tablet', 'seven', 'oslo'],
  caps: ['SUMMER', 'WELCOME', 'BLACK', 'FREE'],
  country: ['FR', 'PL', 'US', 'BR'],
  currency: ['EUR', 'PLN', 'USD', 'JPY'],
  hex: ['7f3a9c01d2', '0a1b2c3d4e', 'c0ffee1234', '5e5e91993f'],
  min: ['a', 'e', 'tt', 'n'],
};

/** The same failure of four events. */
export function variantsOf({ errorClass, message, stack }: KnownCause) {
  return numbers.map((n, seed) => {
    const print = (text: string | undefined) =>
      text === undefined
        ? null
        : text
            .replaceAll('{n}', String(n))
            .replaceAll(/\{([^{}|]+(?:\|[^{}|]+)+)\}/g, (_, either: string) => either.split('|')[seed] ?? '')
            .replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => {
              const of = samples[name];
              return of?.[seed % of.length] ?? whole;
            });
    return {
      errorClass: print(errorClass),
      errorReason: print(message),
      errorStacktrace: print(stack),
      eventType: 'order.created',
      consumer: 'shop',
    };
  });
}
