import { CaptureError } from './capture-error.ts';
import { type Drain, openDrain } from './drain-spool.ts';
import { openIdentity } from './identity-token.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Sender } from './send.ts';
import { sendWithRetries } from './send-with-retries.ts';
import { openSpool, type Spool } from './spool.ts';

export type Reporter = {
  /** Resolves once capture or the spool has the report. Throws if neither has it. */
  report(report: Report): Promise<void>;
  /** Sends what the spool holds, as far as capture takes it now. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the way of reports to capture, and begins with what an earlier process left in the spool. */
export function openReporter(options: Options): Reporter {
  const { attempts = 3, spool: spoolOptions } = options;
  const sender = openSender(options);
  const send = (report: Report) => sendWithRetries(sender, report, attempts);
  if (!spoolOptions) return { report: send, flush: async () => {}, close: async () => {} };
  const spool = openSpool(spoolOptions);
  const drain = openDrain({ spool, send, warn: sender.warn });
  drain.start();
  return {
    report: (report) => sendOrSpool({ spool, drain, send, warn: sender.warn }, report),
    flush: drain.settle,
    close: drain.stop,
  };
}

function openSender({ capture, secret, audience, timeoutMs = 4000, warn = console.warn }: Options): Sender {
  const { protocol, origin } = new URL(capture);
  // A token is a credential: without TLS it is sent only if an audience asks for it.
  const isToken = secret === undefined && (audience !== undefined || protocol === 'https:');
  const findToken = isToken ? openIdentity(audience ?? origin) : undefined;
  return { url: capture, timeoutMs, secret, findToken, warn };
}

type Spooling = {
  readonly spool: Spool;
  readonly drain: Drain;
  readonly send: (report: Report) => Promise<void>;
  readonly warn: (text: string) => void;
};

/** A report joins those that wait, so that they arrive in order. */
async function sendOrSpool({ spool, drain, send, warn }: Spooling, report: Report): Promise<void> {
  const waiting = await spool.list().catch(() => []);
  if (waiting.length === 0) {
    try {
      return await send(report);
    } catch (error) {
      if (!(error instanceof CaptureError) || error.reason === 'refused') throw error;
      warn(`A failure is spooled: ${error.message}`);
    }
  }
  await spool.append(report);
  drain.start();
}
