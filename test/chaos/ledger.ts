/** An event as its sender knows it. */
export type Sent = {
  readonly name: string;
  /** SHA-256 of its message. */
  readonly digest: string;
  /** The ordered key, for an event of an ordered route. */
  readonly key: string | undefined;
  readonly sentAt: number;
  /** When a sender first got 200 for it. */
  capturedAt: number | undefined;
  /** The ids with which capture answered. */
  readonly rows: Set<string>;
};

/** A request as the target saw it. */
export type Delivery = {
  /** The body of the target's answer, by which its attempt is found. */
  readonly id: string;
  readonly row: string;
  readonly digest: string;
  /** The instance that delivered it. */
  readonly worker: string;
  readonly arrivedAt: number;
  readonly behavior: string;
  /** When the target had processed it. */
  acceptedAt: number | undefined;
  /** When the exchange ended, for whatever reason. */
  endedAt: number | undefined;
  /** The fault of the target that kept its answer from the worker. */
  fault: string | undefined;
};

/** A fault as it was inflicted. `until`: its end, from which the time to recover counts. */
export type Fault = {
  readonly kind: string;
  readonly at: number;
  readonly until: number;
  /** The things that it took effect on; undefined: it had no effect, and does not count. */
  readonly effect: string | undefined;
  /** The instances that it hit. */
  readonly workers: readonly string[] | 'all';
  /** These instances ended with it: a request that they had sent may be read at any time later. */
  readonly isFatal?: boolean | undefined;
  /** The events that it hit, by row, if it was not their worker. */
  readonly rows: readonly string[];
};

/** An action of an operator after which an event may be delivered once more. */
export type Request = { readonly row: string; readonly at: number; readonly by: string };

/** An action of an operator, and what the API answered; undefined without an answer. */
export type Action = {
  readonly action: string;
  readonly reason: string;
  readonly rows: readonly string[];
  readonly answer: { readonly changed?: number; readonly auditId?: string; readonly id?: string } | undefined;
};

/** Everything that was seen from outside of one deployment. */
export type Ledger = ReturnType<typeof openLedger>;

export function openLedger() {
  return {
    sent: new Map<string, Sent>(),
    deliveries: [] as Delivery[],
    faults: [] as Fault[],
    requests: [] as Request[],
    /** Events that a sender reported again, whether or not it knows their rows. */
    repetitions: [] as { readonly event: Sent; readonly at: number }[],
    actions: [] as Action[],
    /** Digests of edited messages. */
    edits: new Set<string>(),
    /** Rows that an operator deleted with SQL. */
    deleted: new Set<string>(),
    /** Captures that were answered with 200: when they began, and when they were answered. */
    captures: [] as { readonly beganAt: number; readonly endedAt: number }[],
  };
}
