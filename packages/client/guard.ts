import { describeError } from './describe-error.ts';
import { readRedelivery } from './event-id.ts';
import type { Failure } from './failure.ts';
import type { MessageFacts } from './message-facts.ts';
import type { Options } from './options.ts';
import { composeReport } from './report.ts';
import type { Reporter } from './reporter.ts';

/** The end of a message. `left`: only its broker has it, which must deliver it again. */
export type Settled<Result> =
  | { readonly is: 'handled'; readonly result: Result }
  | { readonly is: 'reported' }
  | { readonly is: 'left'; readonly error: unknown };

/** Handles one message. Never throws: what `handle` throws is reported or left. */
export type Guard = <Result>(
  handle: () => Result | Promise<Result>,
  readFacts: () => MessageFacts | Promise<MessageFacts>,
) => Promise<Settled<Result>>;

/** Guards a consumer's handler with the reports of its failures. */
export function openGuard(options: Options, { report }: Reporter): Guard {
  const { leave, warn = console.warn } = options;
  return async (handle, readFacts) => {
    try {
      return { is: 'handled', result: await handle() };
    } catch (error) {
      try {
        const facts = await readFacts();
        if (leave?.(describeFailure(error, facts))) return { is: 'left', error };
        await report(composeReport(error, facts, options));
        return { is: 'reported' };
      } catch (problem) {
        warn(
          `A failed message stays with its broker: ${problem instanceof Error ? problem.message : problem}`,
        );
        return { is: 'left', error };
      }
    }
  };
}

function describeFailure(error: unknown, { headers = {}, source }: MessageFacts): Failure {
  const isRedelivery = readRedelivery(headers) !== undefined;
  return { error, kind: describeError(error).kind, attempts: source?.attempts, isRedelivery };
}
