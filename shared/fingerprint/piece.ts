/** A piece of a message: its text, and what remains of it in every message of its cause. */
export type Piece = {
  readonly text: string;
  readonly normal: string;
  /** Whether it is compared, though in another form, such as a name in other quotes. */
  readonly isCompared?: boolean;
};
