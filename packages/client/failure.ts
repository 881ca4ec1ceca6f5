/** A failure that the option `leave` decides about. */
export type Failure = {
  readonly error: unknown;
  /** As the error says; undefined if it does not. */
  readonly kind: 'transient' | 'permanent' | undefined;
  /** How often the broker has delivered the message, this time included; undefined if it does not count. */
  readonly attempts: number | undefined;
  /** Whether Dead Letter Office delivered the message, after an earlier failure. */
  readonly isRedelivery: boolean;
};
