import type { Guard } from '../guard.ts';
import type { MessageFacts } from '../message-facts.ts';

/** For any other function of a message: throws what was not reported. */
export function wrapFunction<Message>(
  guard: Guard,
  readFacts: (message: Message) => MessageFacts | Promise<MessageFacts>,
) {
  return <Result>(handler: (message: Message) => Result | Promise<Result>) =>
    async (message: Message): Promise<Result | undefined> => {
      const settled = await guard(
        () => handler(message),
        () => readFacts(message),
      );
      if (settled.is === 'left') throw settled.error;
      return settled.is === 'handled' ? settled.result : undefined;
    };
}
