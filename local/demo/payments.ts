import { setTimeout as delay } from 'node:timers/promises';

/** The payment service that the consumer depends on. */
export type Payments = {
  /** Throws while the service is down. */
  readonly charge: () => Promise<void>;
  /** Starts the outages: down for 20 s, up for 20 s. */
  readonly begin: () => void;
  readonly close: () => void;
};

const firstUpMs = 8000;
const periodMs = 20_000;

/** The names and messages of the errors of a service that is down, by where on the network path it fails. */
const failures = [
  ['ConnectionRefusedError', 'connect ECONNREFUSED 10.4.0.17:8443'],
  ['PaymentsUnavailableError', 'payments answered 503 Service Unavailable: no healthy upstream'],
  ['DeadlineExceededError', 'payments did not answer within 2000 ms'],
  ['ConnectionResetError', 'read ECONNRESET while waiting for payments'],
  ['PaymentsUnavailableError', 'payments answered 502 Bad Gateway'],
] as const;

/** Returns a payment service that works until `begin`, and 8 s longer. */
export function openPayments(say: (text: string) => void): Payments {
  let isUp = true;
  let calls = 0;
  let timer: NodeJS.Timeout | undefined;
  const turn = () => {
    isUp = !isUp;
    say(isUp ? 'the payment service is back' : 'the payment service is down');
    timer = setTimeout(turn, periodMs);
  };
  return {
    charge: async () => {
      await delay(5 + Math.random() * 40);
      if (isUp) return;
      const [name, message] = failures[calls++ % failures.length] ?? failures[0];
      throw Object.assign(new Error(message), { name });
    },
    begin: () => {
      timer = setTimeout(turn, firstUpMs);
    },
    close: () => clearTimeout(timer),
  };
}
