/** One event of a scene. */
export type Told = {
  /** Counted from 0, in the order of their capture. */
  readonly n: number;
  /** The tick before which it was captured, counted from 0. */
  readonly tick: number;
  /** It fails because of itself, until this tick; Infinity: for ever, 0: never. */
  readonly sickUntil: number;
  readonly type?: string;
  readonly reason?: string;
  readonly key?: string;
  readonly priority?: number;
};

/** How a target answers what it does not take. `wait`: the seconds that it names. */
export type Refusal =
  | 'hang'
  | 'reset'
  | { readonly status: number; readonly body?: string; readonly wait?: number };

/** Days of one target: what arrives, what fails, when, and how it answers. */
export type Scene = {
  readonly name: string;
  readonly arrivals: (tick: number) => readonly Omit<Told, 'n' | 'tick'>[];
  /** Whether the target is well in this tick, for events that are not sick. */
  readonly isUp?: (tick: number, event: Told) => boolean;
  /** How it answers while it is not well. */
  readonly down?: Refusal;
  /** How it answers a sick event. */
  readonly sick?: (event: Told) => Refusal;
  /** How long it takes to answer, in ms. */
  readonly takesMs?: number;
  /** It takes so many requests in so many seconds, and names the rest of these to others. */
  readonly limit?: { readonly requests: number; readonly seconds: number };
  readonly policy?: Record<string, unknown>;
  readonly isOrdered?: boolean;
  /** How many workers a tick has; one by default. */
  readonly workers?: number;
  /** In every so many ticks an operator replays everything that is open. */
  readonly replayEvery?: number;
};
