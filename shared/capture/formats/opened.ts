import type { HeaderValue } from '../../message/event.ts';
import type { Message } from '../message.ts';

/** Headers by their names in lower case. */
export type Named = Pick<ReadonlyMap<string, HeaderValue>, 'get' | 'size'>;

/** A message whose headers are found by their names in lower case. */
export type Opened = {
  readonly message: Message;
  readonly named: Named;
  /** Those that an application wrote about a failure. */
  readonly own?: ReadonlyMap<string, HeaderValue> | undefined;
  readonly newestFirst?: boolean;
  readonly query?: URLSearchParams;
};
