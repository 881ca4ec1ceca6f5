import path from 'node:path';
import { lacks } from './shell.ts';

const client = path.resolve(import.meta.dirname, '../../packages/client/client.ts');

/** How a sample of docs/send.md becomes a program that fails on one message, and reports it. */
export type SampleLanguage = {
  readonly language: string;
  readonly file: string;
  readonly command: string;
  /** The timeout in the code, and a short one in its place. */
  readonly timeout: readonly [string, string];
  readonly complete: (code: string) => string;
  readonly skip: string | false;
};

/** Compilers are slow to start: only `npm run test:all` starts them. */
const compiled = (...tools: string[]) =>
  process.env.TEST_ALL === undefined ? 'npm run test:all runs it' : lacks(...tools);

export const sampleLanguages: readonly SampleLanguage[] = [
  {
    language: 'ts',
    file: 'sample.mts',
    command: `'${process.execPath}' --no-warnings sample.mts`,
    timeout: ['10_000', '5_000'],
    // Without TLS the client sends a token only to an audience.
    complete: (code) => `${code
      .replace("'@dead-letter-office/client'", `'${client}'`)
      .replace("consumer: 'billing',", "consumer: 'billing', audience: process.env.CAPTURE_AUDIENCE ?? '',")}
const { EVENT_ID = '', ATTEMPT = '' } = process.env;
const headers = EVENT_ID ? { 'dlo-event-id': EVENT_ID, 'dlo-attempt': ATTEMPT } : {};
const message = { id: 'evt-1', type: 'order.created', data: Buffer.from('{"n": 1.10}'), headers };
wrap(() => { throw new RangeError('no "stock"'); })(message).catch(() => console.log('left'));`,
    skip: false,
  },
  {
    language: 'python',
    file: 'sample.py',
    command: 'python3 sample.py',
    timeout: ['timeout=10)', 'timeout=5)'],
    complete: (code) => `${code}
headers = {"dlo-event-id": os.environ["EVENT_ID"], "dlo-attempt": os.environ["ATTEMPT"]} if "EVENT_ID" in os.environ else {}
try:
    raise RuntimeError('no "stock"')
except RuntimeError as error:
    try:
        report("order.created", "evt-1", b'{"n": 1.10}', headers, error)
    except OSError:
        print("left")
`,
    skip: lacks('python3'),
  },
  {
    language: 'java',
    file: 'Main.java',
    command: 'java Main.java',
    timeout: ['ofSeconds(10)', 'ofSeconds(5)'],
    complete: (code) => {
      const [imports, own] = code.split('\nclass DeadLetters');
      return `${imports}
class Main {
  public static void main(String[] args) throws Exception {
    var id = System.getenv("EVENT_ID");
    Map<String, String> headers =
        id == null ? Map.of() : Map.of("dlo-event-id", id, "dlo-attempt", System.getenv("ATTEMPT"));
    var error = new IllegalStateException("no \\"stock\\"");
    try {
      DeadLetters.report("order.created", "evt-1", "{\\"n\\": 1.10}".getBytes(), headers, error);
    } catch (IllegalStateException thrown) {
      System.out.println("left");
    }
  }
}
class DeadLetters${own}`;
    },
    skip: compiled('java'),
  },
  {
    language: 'go',
    file: 'sample.go',
    command: 'GO111MODULE=off GOCACHE="$PWD/.cache" GOFLAGS= HOME="$PWD" go run sample.go',
    timeout: ['10 * time.Second', '5 * time.Second'],
    complete: (code) => `${code}
func main() {
	headers := map[string]string{}
	if id := os.Getenv("EVENT_ID"); id != "" {
		headers["dlo-event-id"], headers["dlo-attempt"] = id, os.Getenv("ATTEMPT")
	}
	if err := report("order.created", "evt-1", []byte(\`{"n": 1.10}\`), headers, fmt.Errorf("no %q", "stock")); err != nil {
		fmt.Println("left")
	}
}
`,
    skip: compiled('go'),
  },
];
